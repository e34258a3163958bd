package io.github.ratelimit.autoconfigure;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStates;
import io.github.ratelimit.RateLimitStore;
import io.github.ratelimit.RateLimiter;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application of whatever kind the class path makes it. Asks three times where two are
 * allowed, prints the answers and ends.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class LimitedApplication {

	public static void main(String[] arguments) {
		String[] defaults = { "--server.port=0", "--server.address=127.0.0.1", "--spring.jmx.enabled=true",
				"--management.endpoints.web.exposure.include=ratelimits",
				"--management.endpoints.jmx.exposure.include=ratelimits", "--spring.main.banner-mode=off",
				"--ratelimit.policies.twice.limits[0].limit=2", "--ratelimit.policies.twice.limits[0].window=1d",
				"--ratelimit.policies.twice.limits[0].algorithm=sliding-window-log" };
		SpringApplication
			.run(LimitedApplication.class,
					Stream.of(defaults, arguments).flatMap(Arrays::stream).toArray(String[]::new))
			.close();
	}

	@Bean
	CommandLineRunner askThreeTimes(ObjectProvider<RateLimiter> limiters) {
		return (arguments) -> {
			RateLimiter limiter = limiters.getIfAvailable();
			System.out.println((limiter != null) ? limiter.store().name() + ": " + answers(limiter) : "no rate limits");
		};
	}

	private static String answers(RateLimiter limiter) {
		return IntStream.range(0, 3)
			.mapToObj((i) -> limiter.decide("twice", "me").allowed() ? "allowed" : "rejected")
			.collect(Collectors.joining(", "));
	}

	@Bean
	@ConditionalOnBooleanProperty("own-store")
	RateLimitStore ownStore() {
		return new OwnStore();
	}

	private static final class OwnStore implements RateLimitStore, RateLimitStates {

		@Override
		public String name() {
			return "its own";
		}

		@Override
		public RateLimitStates open(RateLimitPolicy policy) {
			return this;
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return RateLimitDecision.allowed(0, 1, 0, 0, 0);
		}

		@Override
		public void giveBack(String key, long permits, RateLimitDecision given) {
		}

		@Override
		public void reset(String key) {
		}

		@Override
		public long keys() {
			return -1;
		}

		@Override
		public long evictions() {
			return 0;
		}

	}

}
