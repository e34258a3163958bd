package io.github.ratelimit.benchmarks.startup;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A small application without the starter.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(PlainApplication.Greeting.class)
public class PlainApplication {

	@RestController
	static class Greeting {

		@GetMapping("/hello")
		String hello() {
			return "Hello";
		}

	}

}
