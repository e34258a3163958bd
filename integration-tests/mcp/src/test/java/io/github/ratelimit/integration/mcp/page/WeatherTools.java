package io.github.ratelimit.integration.mcp.page;

import io.github.ratelimit.annotation.RateLimited;
import org.springframework.ai.mcp.annotation.McpTool;

import org.springframework.stereotype.Component;

@Component
class WeatherTools {

	@McpTool(name = "weather", description = "Tells the weather of a city")
	String weather(String city) {
		return "sunny in " + city;
	}

	@McpTool(name = "forecast", description = "Computes the weather of the next days")
	@RateLimited(limit = 2, window = "1m", key = "#city")
	String forecast(String city) {
		return "rain in " + city;
	}

}
