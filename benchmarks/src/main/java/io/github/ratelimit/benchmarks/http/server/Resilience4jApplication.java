package io.github.ratelimit.benchmarks.http.server;

import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Limited by resilience4j's annotation, with one limiter for all clients, and an answer
 * without a body.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class Resilience4jApplication {

	@GetMapping("/hello")
	@RateLimiter(name = "hello")
	String hello() {
		return "Hello";
	}

	@ExceptionHandler(RequestNotPermitted.class)
	@ResponseStatus(HttpStatus.TOO_MANY_REQUESTS)
	void reject() {
	}

}
