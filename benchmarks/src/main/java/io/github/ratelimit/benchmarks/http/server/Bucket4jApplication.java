package io.github.ratelimit.benchmarks.http.server;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Limited by a filter such as one writes oneself.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class Bucket4jApplication {

	@Bean
	Bucket4jFilter bucket4jFilter(@Value("${limit}") long limit, @Value("${fields:false}") boolean fields) {
		return new Bucket4jFilter(limit, fields ? new FieldsByHand() : null);
	}

	@GetMapping("/hello")
	String hello() {
		return "Hello";
	}

}
