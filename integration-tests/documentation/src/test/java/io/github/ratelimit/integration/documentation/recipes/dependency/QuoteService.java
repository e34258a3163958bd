package io.github.ratelimit.integration.documentation.recipes.dependency;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.stereotype.Service;

@Service
class QuoteService {

	@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 10, window = "1s", burst = 20, key = "'global'")
	String quote(String symbol) {
		return "The price of " + symbol; // asks the slow system
	}

}
