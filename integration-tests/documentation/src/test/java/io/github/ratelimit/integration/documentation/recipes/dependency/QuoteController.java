package io.github.ratelimit.integration.documentation.recipes.dependency;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * One of those who call the service.
 */
@RestController
class QuoteController {

	private final QuoteService quotes;

	QuoteController(QuoteService quotes) {
		this.quotes = quotes;
	}

	@GetMapping("/quotes/{symbol}")
	String quote(@PathVariable String symbol) {
		return this.quotes.quote(symbol);
	}

}
