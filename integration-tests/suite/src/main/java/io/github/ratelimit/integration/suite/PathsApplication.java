package io.github.ratelimit.integration.suite;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves something in each of the ways that both stacks know. The rest is a part of each.
 */
@RestController
class PathsApplication {

	@GetMapping("/login")
	String login() {
		return "served:handler";
	}

	@GetMapping("/items/{id}")
	String item(@PathVariable String id) {
		return id.equals("7") ? "served:item" : "another";
	}

	@GetMapping("/rest/{*rest}")
	String rest(@PathVariable String rest) {
		return rest.equals("/a/b") ? "served:rest" : "another";
	}

	@GetMapping("/regex/{x:[a-z]+}")
	String regex(@PathVariable String x) {
		return x.equals("abc") ? "served:regex" : "another";
	}

}
