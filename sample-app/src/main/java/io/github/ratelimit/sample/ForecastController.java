package io.github.ratelimit.sample;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A forecast, which customers may request as often as their plan allows.
 */
@RestController
@LimitedByPlan
class ForecastController {

	@GetMapping("/forecast")
	Forecast forecast() {
		return new Forecast("Rain");
	}

	record Forecast(String tomorrow) {
	}

}
