package io.github.ratelimit.sample;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A forecast, which customers may request as often as their plan allows.
 */
@RestController
@RateLimited(policy = "forecast")
class ForecastController {

	@GetMapping("/forecast")
	Forecast forecast() {
		return new Forecast("Rain");
	}

	record Forecast(String tomorrow) {
	}

}
