package io.github.ratelimit.benchmarks.http.server;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers, and that is all. Whether a rule limits it is a matter of its properties.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class PlainApplication {

	@GetMapping("/hello")
	String hello() {
		return "Hello";
	}

}
