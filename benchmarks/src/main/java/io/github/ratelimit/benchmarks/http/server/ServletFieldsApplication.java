package io.github.ratelimit.benchmarks.http.server;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Limits nothing, and sends our fields by the servlet API.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class ServletFieldsApplication {

	@Bean
	Filter fieldsFilter() {
		FieldsByHand fields = new FieldsByHand();
		return (request, response, chain) -> {
			fields.set(((HttpServletResponse) response)::setHeader);
			chain.doFilter(request, response);
		};
	}

	@GetMapping("/hello")
	String hello() {
		return "Hello";
	}

}
