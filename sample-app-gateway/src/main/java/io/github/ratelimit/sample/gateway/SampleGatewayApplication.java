package io.github.ratelimit.sample.gateway;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A gateway, and the service behind it, so that one command starts both. All limits are
 * in {@code application.yml}.
 */
@SpringBootApplication
@RestController
public class SampleGatewayApplication {

	/**
	 * Starts it on port 8080.
	 * @param args further properties
	 */
	public static void main(String[] args) {
		SpringApplication.run(SampleGatewayApplication.class, args);
	}

	@GetMapping("/service")
	String orders() {
		return "No orders yet\n";
	}

}
