package io.github.ratelimit.benchmarks.http.server;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;

/**
 * Limits nothing, and sends our fields on WebFlux.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class ReactiveFieldsApplication {

	@Bean
	WebFilter fieldsFilter() {
		FieldsByHand fields = new FieldsByHand();
		return (exchange, chain) -> {
			fields.set(exchange.getResponse().getHeaders()::set);
			return chain.filter(exchange);
		};
	}

	@GetMapping("/hello")
	String hello() {
		return "Hello";
	}

}
