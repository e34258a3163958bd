package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.web.RateLimitHeaders;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The header fields, for both web stacks.
 */
@Configuration(proxyBeanMethods = false)
class RateLimitHeadersConfiguration {

	@Bean
	RateLimitHeaders rateLimitHeaders(RateLimitProperties properties, RateLimiterRegistry limiter,
			RateLimitClock clock) {
		RateLimitHeaders headers = new RateLimitHeaders(properties.headers(), properties.headersReset(),
				properties.headersPolicyNames(), clock);
		limiter.observe(headers::prepare);
		return headers;
	}

}
