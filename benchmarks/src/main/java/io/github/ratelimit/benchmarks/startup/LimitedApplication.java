package io.github.ratelimit.benchmarks.startup;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.benchmarks.http.server.PlainApplication;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@link PlainApplication} with an annotated handler, and with a rule among its
 * properties.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class LimitedApplication {

	@GetMapping("/hello")
	@RateLimited(limit = 100, window = "1m")
	String hello() {
		return "Hello";
	}

}
