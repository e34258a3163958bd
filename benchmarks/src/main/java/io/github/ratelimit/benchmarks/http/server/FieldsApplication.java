package io.github.ratelimit.benchmarks.http.server;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;

/**
 * Limits nothing, and tells what we tell: the same each time.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class FieldsApplication {

	@Bean
	WebFilter fieldsFilter() {
		return (exchange, chain) -> {
			HttpHeaders headers = exchange.getResponse().getHeaders();
			headers.set("RateLimit-Policy", "\"hello\";q=1000000000;w=86400");
			headers.set("RateLimit", "\"hello\";r=999999999;t=86400");
			headers.set("X-RateLimit-Limit", "1000000000");
			headers.set("X-RateLimit-Remaining", "999999999");
			headers.set("X-RateLimit-Reset", "1");
			return chain.filter(exchange);
		};
	}

	@GetMapping("/hello")
	String hello() {
		return "Hello";
	}

}
