package io.github.ratelimit;

import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * For which policies requests can wait, and for how long.
 */
class MaxWaitTests {

	private static final Duration WAIT = Duration.ofSeconds(2);

	private final RateLimit bucket = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1));

	private final RateLimit window = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofSeconds(1));

	@Test
	void withoutAWaitNobodyWaits() {
		RateLimitPolicy policy = RateLimitPolicy.of("plain", this.bucket);
		assertThat(policy.maxWait()).isZero();
		assertThat(policy.delays()).isFalse();
		assertThat(policy).doesNotHaveToString(waiting(this.bucket).build().toString());
	}

	@Test
	void theWaitIsThePolicysLongestDelayButForWhoIsInShadow() {
		RateLimitPolicy policy = waiting(this.bucket).build();
		assertThat(policy.longestDelay()).isEqualTo(WAIT);
		assertThat(policy).asString().endsWith(", lets wait for 2 s");
		assertThat(policy.withMode(RateLimitMode.SHADOW).delays()).isFalse();
		assertThat(policy.withLimits(List.of(this.window)).maxWait()).isEqualTo(WAIT);
		assertThat(policy.withoutPlans().maxWait()).isEqualTo(WAIT);
	}

	@Test
	void plansAndShadowLimitsWaitAsThePolicyDoes() {
		RateLimitPolicy policy = waiting(this.bucket).shadowLimits(List.of(this.window))
			.plans(Map.of("pro", RateLimitPlan.of(this.window), "free", RateLimitPlan.unlimited()))
			.build();
		assertThat(policy.shadow()).isNotNull().extracting(RateLimitPolicy::maxWait).isEqualTo(WAIT);
		assertThat(policy.underPlan("pro")).isNotNull().extracting(RateLimitPolicy::maxWait).isEqualTo(WAIT);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			-PT1S        | is out of range                     | Use 1ms to 1h, such as 2s, or 0 to let nobody wait.
			PT0.000999S  | is out of range                     | Use 1ms to 1h
			PT1H0.001S   | is out of range                     | Use 1ms to 1h
			PT0.0015005S | is not a whole number of microseconds | Round it to microseconds.
			""")
	void whatIsNoWaitIsNamed(Duration wait, String reason, String action) {
		assertMistake(RateLimitPolicy.builder("p").limit(this.bucket).maxWait(wait), reason, action);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEAKY_BUCKET")
	void anyAlgorithmWithoutAQueueReserves(RateLimitAlgorithm algorithm) {
		RateLimitPolicy policy = waiting(RateLimit.of(algorithm, 10, Duration.ofSeconds(1))).build();
		assertThat(policy.longestDelay()).isEqualTo(WAIT);
	}

	@Test
	void aLeakyBucketHasItsOwnQueue() {
		RateLimit leaky = RateLimit.of(RateLimitAlgorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1));
		String reason = "has no effect on a leaky bucket, which has a queue of its own";
		String action = "set burst to how many may wait";
		assertMistake(waiting(leaky), reason, action);
		assertMistake(waiting(this.bucket).shadowLimits(List.of(leaky)), reason, action);
		assertMistake(waiting(this.bucket).plans(Map.of("pro", RateLimitPlan.of(leaky))), reason, action);
	}

	@Test
	void aLogThatCountsWhatItRejectsReservesNothing() {
		RateLimit counting = RateLimit.builder(RateLimitAlgorithm.SLIDING_WINDOW_LOG)
			.limit(10)
			.window(Duration.ofSeconds(1))
			.countRejected(true)
			.build();
		assertMistake(waiting(counting), "cannot be used with count-rejected", "Remove max-wait, or count-rejected.");
	}

	@Test
	void severalLimitsReserveNothing() {
		assertMistake(waiting(this.bucket).limit(this.window), "cannot be used with several limits",
				"leave one limit in the policy, and apply a policy without max-wait for each other one");
	}

	@Test
	void windowsThatAreTooShortOrOfACalendarReserveNothing() {
		RateLimit.Builder window = RateLimit.builder(RateLimitAlgorithm.FIXED_WINDOW_COUNTER).limit(1);
		RateLimit quick = window.window(Duration.ofMillis(10)).build();
		assertMistake(waiting(quick), "is longer than 60 windows of 10 ms", "Use at most 600 ms");
		assertThatNoException()
			.isThrownBy(() -> RateLimitPolicy.builder("p").limit(quick).maxWait(Duration.ofMillis(600)).build());
		RateLimit daily = window.window(CalendarWindow.of(Period.ofDays(1), ZoneOffset.UTC)).build();
		assertMistake(waiting(daily), "cannot be used with windows of a calendar", "Remove max-wait, or the zone.");
	}

	@Test
	void whatIsChargedOrInformsLetsNobodyWait() {
		assertMistake(waiting(this.bucket).charge("status >= 400"), "cannot be used with a charge",
				"Remove max-wait, or the charge.");
		assertMistake(waiting(this.bucket).mode(RateLimitMode.INFORM), "has no effect in the mode inform",
				"Remove max-wait, or set mode to enforce.");
	}

	private static RateLimitPolicy.Builder waiting(RateLimit limit) {
		return RateLimitPolicy.builder("p").limit(limit).maxWait(WAIT);
	}

	private static void assertMistake(RateLimitPolicy.Builder policy, String reason, String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(policy::build).satisfies((mistake) -> {
			assertThat(mistake.attribute()).isEqualTo("max-wait");
			assertThat(mistake.reason()).contains(reason);
			assertThat(mistake.action()).contains(action);
		});
	}

}
