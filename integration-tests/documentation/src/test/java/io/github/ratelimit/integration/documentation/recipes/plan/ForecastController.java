package io.github.ratelimit.integration.documentation.recipes.plan;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@LimitedByPlan
class ForecastController {

	@GetMapping("/forecast")
	String forecast() {
		return "Rain";
	}

}
