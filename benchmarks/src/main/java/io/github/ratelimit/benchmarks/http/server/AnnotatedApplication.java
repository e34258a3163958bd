package io.github.ratelimit.benchmarks.http.server;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Limited by our annotation, to what the policy {@code hello} says.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class AnnotatedApplication {

	@GetMapping("/hello")
	@RateLimited("hello")
	String hello() {
		return "Hello";
	}

}
