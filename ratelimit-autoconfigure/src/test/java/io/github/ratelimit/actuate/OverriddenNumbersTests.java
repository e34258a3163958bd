package io.github.ratelimit.actuate;

import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.FailedStart;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an override leaves out is as it is defined.
 */
class OverriddenNumbersTests {

	private static final String POLICIES = """
			ratelimit.policies:
			  fixed: { algorithm: fixed-window-counter, limit: 100, window: 1m }
			  month: { algorithm: fixed-window-counter, limit: 100, window: P1M, zone: Europe/Berlin, from: 15 }
			  week: { algorithm: fixed-window-counter, limit: 100, window: P1W, zone: Europe/Berlin, from: 7 }
			  log: { algorithm: sliding-window-log, limit: 100, window: 1m, count-rejected: true }
			  queue: { algorithm: leaky-bucket, limit: 100, window: 1m, burst: 20, nodelay: true }
			  bucket: { limit: 100, window: 1m, burst: 200 }
			  plain: { limit: 100, window: 1m }
			  two:
			    limits:
			      - { algorithm: fixed-window-counter, limit: 10, window: 1s }
			      - { algorithm: sliding-window-log, limit: 100, window: 1m, count-rejected: true }
			  calendar:
			    limits:
			      - { limit: 50, window: 1d, burst: 5 }
			      - { algorithm: fixed-window-counter, limit: 500, window: P1D, zone: Europe/Berlin }
			  twice:
			    limits:
			      - { limit: 50, window: 1m, burst: 5 }
			      - { algorithm: sliding-window-log, limit: 100, window: 1m }
			  alike:
			    limits:
			      - { algorithm: sliding-window-counter, limit: 10, window: 1s }
			      - { algorithm: sliding-window-counter, limit: 100, window: 1m }
			  planned:
			    algorithm: sliding-window-counter
			    limit: 100
			    window: 1m
			    plan: header('X-Plan')
			    plans:
			      pro: { algorithm: fixed-window-counter, limit: 1000, window: 1m }
			      free: { unlimited: true }
			""";

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					fixed   |      | {"limit": 5, "window": "1m"}                                | fixed-window-counter 5 per 1 min
					fixed   |      | {"limits": [{"limit": 5, "window": "60s"}]}                 | fixed-window-counter 5 per 1 min
					fixed   |      | {"limit": 5, "window": "2m"}                                | fixed-window-counter 5 per 2 min
					fixed   |      | {"limit": 5, "window": "1m", "algorithm": "token-bucket"}   | token-bucket 5 per 1 min, burst 5
					month   |      | {"limit": 5, "window": "P1M"}                               | fixed-window-counter 5 per calendar month in Europe/Berlin from 15
					month   |      | {"limit": 5, "window": "P1M", "zone": "UTC"}                | fixed-window-counter 5 per calendar month in UTC from 15
					week    |      | {"limit": 5, "window": "P1W"}                               | fixed-window-counter 5 per calendar week in Europe/Berlin from 7
					week    |      | {"limit": 5, "window": "p7d", "zone": "UTC"}                | fixed-window-counter 5 per calendar week in UTC from 7
					month   |      | {"limit": 5, "window": "1m"}                                | fixed-window-counter 5 per 1 min
					log     |      | {"limit": 5, "window": "1m"}                                | sliding-window-log 5 per 1 min, count-rejected
					queue   |      | {"limit": 5, "window": "1m"}                                | leaky-bucket 5 per 1 min, burst 20, nodelay
					bucket  |      | {"limit": 5, "window": "1m"}                                | token-bucket 5 per 1 min, burst 200
					bucket  |      | {"limit": 5, "window": "1m", "burst": 7}                    | token-bucket 5 per 1 min, burst 7
					plain   |      | {"limit": 5, "window": "1m"}                                | token-bucket 5 per 1 min, burst 5
					two     |      | {"limit": 5, "window": "1m"}                                | sliding-window-log 5 per 1 min, count-rejected
					two     |      | {"limits": [{"limit": 5, "window": "1m"}, {"limit": 1, "window": "1s"}]} | sliding-window-log 5 per 1 min, count-rejected; fixed-window-counter 1 per 1 s
					two     |      | {"limit": 5, "window": "1h", "algorithm": "leaky-bucket"}   | leaky-bucket 5 per 1 h, burst 0, delay 0
					calendar |     | {"limits": [{"limit": 5, "window": "1d"}, {"limit": 9, "window": "P1D"}]} | token-bucket 5 per 1 d, burst 5; fixed-window-counter 9 per calendar day in Europe/Berlin
					calendar |     | {"limits": [{"limit": 9, "window": "P1D"}, {"limit": 5, "window": "24h"}]} | fixed-window-counter 9 per calendar day in Europe/Berlin; token-bucket 5 per 1 d, burst 5
					calendar |     | {"limit": 9, "window": "P1D"}                              | fixed-window-counter 9 per calendar day in Europe/Berlin
					calendar |     | {"limit": 9, "window": "1d"}                               | token-bucket 9 per 1 d, burst 5
					twice   |      | {"limits": [{"limit": 5, "window": "1m"}, {"limit": 9, "window": "60s"}]} | token-bucket 5 per 1 min, burst 5; sliding-window-log 9 per 1 min
					twice   |      | {"limit": 9, "window": "1m", "algorithm": "sliding-window-log"} | sliding-window-log 9 per 1 min
					alike   |      | {"limit": 5, "window": "1h"}                                | sliding-window-counter 5 per 1 h
					planned |      | {"limit": 5, "window": "1m"}                                | sliding-window-counter 5 per 1 min
					planned | pro  | {"limit": 5, "window": "1m"}                                | fixed-window-counter 5 per 1 min
					planned | free | {"limit": 5, "window": "1m"}                                | sliding-window-counter 5 per 1 min
					""")
	void whatIsLeftOutIsAsDefined(String policy, @Nullable String plan, String override, String expected) {
		for (String key : (plan != null) ? new String[] { null } : new String[] { null, "192.0.2.1" }) {
			assertThat(limits(policy, plan, key, override)).isEqualTo(expected);
		}
	}

	@Test
	void algorithmIsToBeSentWhereSeveralAreDefined() {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> limits("two", null, null, "{\"limit\": 5, \"window\": \"1h\"}"))
			.withMessageStartingWith("The member 'algorithm' is missing");
	}

	private static String limits(String policy, @Nullable String plan, @Nullable String key, String override) {
		StringBuilder limits = new StringBuilder();
		FailedStart.starting(POLICIES, Map.of())
			.withConfiguration(AutoConfigurations.of(RateLimitEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=ratelimits",
					"management.endpoints.jmx.exposure.include=ratelimits")
			.run((context) -> {
				context.getBean(RateLimitsEndpoint.class).override(policy, override, key, plan, null);
				limits.append(String.join("; ",
						context.getBean(RateLimiterRegistry.class)
							.overrides()
							.inForce()
							.get(0)
							.override()
							.limits()
							.stream()
							.map(Object::toString)
							.toList()));
			});
		return limits.toString();
	}

}
