package io.github.ratelimit.integration.mcp.page;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The application of docs/mcp.md.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(WeatherTools.class)
public class PageApplication {

	/* No permit comes back however long a test takes. */
	@Bean
	RateLimitClock clock() {
		return Duration.ofDays(20_000)::toNanos;
	}

}
