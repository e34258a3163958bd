package io.github.ratelimit.integration.documentation.recipes.plan;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RateLimited(policy = "forecast")
class ForecastController {

	@GetMapping("/forecast")
	String forecast() {
		return "Rain";
	}

}
