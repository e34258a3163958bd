package io.github.ratelimit.integration.browser;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.actuate.HistorySteps;
import io.github.ratelimit.test.ManualClock;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application with limits to look at, whose clock stands still.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class PageApplication {

	private static final String[] PROPERTIES = { "server.port=0", "server.address=127.0.0.1",
			"spring.jmx.enabled=false", "spring.main.banner-mode=off",
			"management.endpoints.web.exposure.include=ratelimits",
			"management.endpoint.ratelimits.access=unrestricted", "ratelimit.policies.login.key=clientAddress",
			"ratelimit.policies.login.limits[0].limit=20", "ratelimit.policies.login.limits[0].window=1m",
			"ratelimit.policies.login.limits[0].burst=40", "ratelimit.policies.login.ban.after=200",
			"ratelimit.policies.login.ban.within=1m", "ratelimit.policies.login.ban.for=1h",
			"ratelimit.policies.search.limits[0].limit=600", "ratelimit.policies.search.limits[0].window=1m",
			"ratelimit.policies.search.shadow-limits[0].limit=60",
			"ratelimit.policies.search.shadow-limits[0].window=1m", "ratelimit.rules[0].path=/login",
			"ratelimit.rules[0].policy=login", "ratelimit.rules[0].methods=POST", "ratelimit.rules[1].path=/search/**",
			"ratelimit.rules[1].policy=search", "ratelimit.rules[1].key=header('X-Api-Key')" };

	static ConfigurableApplicationContext run(Class<?> security, String... properties) {
		return new SpringApplicationBuilder(PageApplication.class, security).properties(PROPERTIES)
			.properties(properties)
			.run();
	}

	static String address(ConfigurableApplicationContext application, String path) {
		return "http://127.0.0.1:" + application.getEnvironment()
			.getProperty("local.management.port", application.getEnvironment().getRequiredProperty("local.server.port"))
				+ path;
	}

	/**
	 * Lets callers come for some minutes.
	 */
	static void traffic(ConfigurableApplicationContext application, int steps) {
		Random random = new Random(15);
		ManualClock clock = application.getBean(ManualClock.class);
		RateLimiterRegistry registry = application.getBean(RateLimiterRegistry.class);
		RateLimiter login = registry.policy("login");
		RateLimiter search = registry.policy("search");
		for (int step = 0; step < steps; step++) {
			int wave = 20 + (int) (12 * Math.sin(step / 9.0)) + random.nextInt(8);
			for (int i = 0; i < wave; i++) {
				login.decide("user-" + random.nextInt(60), 1);
				search.decide("user-" + random.nextInt(6), 1);
			}
			for (int i = 0; step % 50 > 30 && i < 11; i++) {
				login.decide("203.0.113.7", 1);
			}
			clock.advance(Duration.ofSeconds(5));
			HistorySteps.end(application);
		}
	}

	@Bean
	ManualClock clock() {
		return new ManualClock(Duration.ofSeconds(Instant.now().getEpochSecond()).toNanos());
	}

}
