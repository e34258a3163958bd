package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.ReflectionUtils;

/**
 * Loads on Spring Boot's background thread the classes that the main thread would
 * otherwise load while the application starts, in the order in which it needs them. What
 * creates proxies is not among them: an application may have none.
 */
class RateLimitBackgroundPreinitializer implements BackgroundPreinitializer {

	/*
	 * Spring Boot passes over what fails where the application does not have the library
	 * that is loaded. Caffeine comes last, because a store may be elsewhere.
	 */
	@Override
	public void preinitialize() {
		bindProperties();
		readAutoConfigurations();
		openPolicy();
	}

	private static void bindProperties() {
		Map<String, String> properties = Map.of("ratelimit.policies.one.limits[0].limit", "1",
				"ratelimit.policies.one.limits[0].window", "1s", "ratelimit.rules[0].path", "/one",
				"ratelimit.rules[0].policy", "one");
		new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("ratelimit", RateLimitProperties.class);
	}

	private static void readAutoConfigurations() {
		for (Class<?> type : List.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class,
				RateLimitServletAutoConfiguration.class, RateLimitMvcAutoConfiguration.class)) {
			ReflectionUtils.getDeclaredMethods(type);
		}
	}

	private static void openPolicy() {
		RateLimit limit = RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
			.limit(1)
			.window(Duration.ofSeconds(1))
			.build();
		try (LocalRateLimitStore store = new LocalRateLimitStore(RateLimitClock.system(), 1)) {
			store.open(RateLimitPolicy.of("preinitialization", limit));
		}
	}

}
