package io.github.ratelimit.sample.ai;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The sample application.
 */
@SpringBootApplication
public class SampleAiApplication {

	/**
	 * Starts it on port 8080.
	 * @param args further properties
	 */
	public static void main(String[] args) {
		SpringApplication.run(SampleAiApplication.class, args);
	}

}
