package io.github.ratelimit.benchmarks.actuator.server;

import io.github.ratelimit.RateLimiterRegistry;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application with many policies that has been running for a day.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class EndpointApplication {

	@Bean
	AheadClock rateLimitClock() {
		return new AheadClock();
	}

	@Bean
	ApplicationRunner yesterday(RateLimiterRegistry limiters, AheadClock clock, @Value("${benchmark.keys}") int keys) {
		return (arguments) -> new Yesterday(limiters, clock).sendAll(keys);
	}

	@GetMapping("/{name}")
	String hello() {
		return "Hello";
	}

}
