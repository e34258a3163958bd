package io.github.ratelimit.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * The last hour of any number of policies is told in a small answer.
 */
class HourDescriptorTests {

	private static final Instant END = Instant.parse("2026-03-05T01:00:00Z");

	private long decided;

	private PolicyHistory history(long requestsPerMinute) {
		StoreRateLimiter limiter = mock();
		given(limiter.policy()).willReturn(
				RateLimitPolicy.of("any", RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1))));
		given(limiter.countEnforced(RateLimitOutcome.ALLOWED)).willAnswer((call) -> this.decided);
		given(limiter.countEnforced(RateLimitOutcome.REJECTED)).willAnswer((call) -> this.decided);
		PolicyHistory history = new PolicyHistory();
		for (int minute = 0; minute < PolicyHistory.MINUTES; minute++) {
			this.decided += requestsPerMinute;
			history.add(limiter);
			history.endMinute();
		}
		return history;
	}

	private HourDescriptor hour(int policies, long requestsPerMinute) {
		PolicyHistory history = history(requestsPerMinute);
		Map<String, PolicyHistory> all = new TreeMap<>();
		for (int i = 0; i < policies; i++) {
			all.put("policy-%03d".formatted(i), history);
		}
		return HourDescriptor.of("shop-1", END, PolicyHistory.MINUTES, all);
	}

	@ParameterizedTest
	@CsvSource({ "1, 1000000000, 60", "60, 100, 60", "60, 10000, 60", "60, 100000000, 120", "500, 5, 300",
			"500, 1000000, 1800" })
	void stepsAreLongerWhereThatIsTooMuch(int policies, long requestsPerMinute, int step) {
		HourDescriptor hour = hour(policies, requestsPerMinute);
		assertThat(hour.step()).isEqualTo(step);
		assertThat(hour.policies()).hasSize(policies);
		assertThat(JsonMapper.shared().writeValueAsString(hour).length()).isLessThanOrEqualTo(64_000);
		int minutes = step / 60;
		assertThat(hour.policies().get("policy-000")).hasSize(2)
			.allSatisfy((name, values) -> assertThat(values).hasSize(60 / minutes)
				.containsOnly((int) requestsPerMinute * minutes));
	}

	@Test
	void aStepThatIsNotWholeIsLeftOut() {
		PolicyHistory history = history(100_000_000);
		Map<String, PolicyHistory> all = new TreeMap<>();
		for (int i = 0; i < 100; i++) {
			all.put("policy-" + i, history);
		}
		HourDescriptor hour = HourDescriptor.of("shop-1", END, 59, all);
		assertThat(hour.step()).isEqualTo(120);
		assertThat(hour.policies().get("policy-0").get("allowed")).hasSize(29).containsOnly(200_000_000);
	}

}
