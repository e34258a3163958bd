package io.github.ratelimit.integration.documentation.recipes.assistant;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.stereotype.Service;

@Service
class ForecastService {

	private final RateLimitInfo limits;

	private volatile String cached = "unknown";

	ForecastService(RateLimitInfo limits) {
		this.limits = limits;
	}

	@RateLimited("forecast")
	String forecast() {
		if (!this.limits.isExceeded("forecast")) {
			this.cached = "sun"; // asks the source
		}
		return this.cached;
	}

}
