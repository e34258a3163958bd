package io.github.ratelimit.benchmarks.startup;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The same application with an annotated handler, and with a rule among its properties.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(LimitedApplication.Greeting.class)
public class LimitedApplication {

	@RestController
	static class Greeting {

		@GetMapping("/hello")
		@RateLimited(limit = 100, window = "1m")
		String hello() {
			return "Hello";
		}

	}

}
