package io.github.ratelimit.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Starts the sample.
 */
@SpringBootApplication
public class SampleApplication {

	/**
	 * Starts the sample.
	 * @param args passed to Spring Boot
	 */
	public static void main(String[] args) {
		SpringApplication.run(SampleApplication.class, args);
	}

}
