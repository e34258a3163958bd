package io.github.ratelimit.local;

import java.lang.management.ManagementFactory;
import java.time.Duration;

import com.sun.management.ThreadMXBean;
import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A decision allocates itself and nothing else.
 */
class AllocationTests {

	private static final int DECISIONS = 20_000;

	private static final int DECISION_BYTES = 64;

	private static final int JOINT_DECISION_BYTES = 104;

	private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private RateLimitDecision last = RateLimitDecisions.allowed(0, 0, 0, 0, 0);

	@ParameterizedTest
	@EnumSource
	void allowingAllocatesOnlyTheDecision(RateLimitAlgorithm algorithm) {
		assertThat(bytesForEach(RoomyLimits.of(algorithm, 100_000, Duration.ofDays(1))))
			.isLessThanOrEqualTo(DECISION_BYTES);
		assertThat(this.last.allowed()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void rejectingAllocatesOnlyTheDecision(RateLimitAlgorithm algorithm) {
		assertThat(bytesForEach(RoomyLimits.of(algorithm, 1, Duration.ofDays(1)))).isLessThanOrEqualTo(DECISION_BYTES);
		assertThat(this.last.allowed()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "P1D", "P1W", "P1M", "P1Y" })
	void aCalendarIsNotAskedWhileAWindowLasts(String period) {
		assertThat(bytesForEach(CalendarModel.limit(100_000, period, "Europe/Berlin", null)))
			.isLessThanOrEqualTo(DECISION_BYTES);
		assertThat(this.last.allowed()).isTrue();
		assertThat(bytesForEach(CalendarModel.limit(1, period, "Europe/Berlin", null)))
			.isLessThanOrEqualTo(DECISION_BYTES);
		assertThat(this.last.allowed()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void limitsOfOnePolicyShareADecision(RateLimitAlgorithm algorithm) {
		RateLimit other = RoomyLimits.of(RateLimitAlgorithm.TOKEN_BUCKET, 100_000, Duration.ofDays(1));
		assertThat(bytesForEach(RoomyLimits.of(algorithm, 100_000, Duration.ofDays(1)), other))
			.isLessThanOrEqualTo(JOINT_DECISION_BYTES);
		assertThat(this.last.allowed()).isTrue();
		assertThat(bytesForEach(RoomyLimits.of(algorithm, 1, Duration.ofDays(1)), other))
			.isLessThanOrEqualTo(JOINT_DECISION_BYTES);
		assertThat(this.last.allowed()).isFalse();
	}

	private long bytesForEach(RateLimit... limits) {
		try (LocalRateLimitStore store = new LocalRateLimitStore(RateLimitClock.system(), 100)) {
			PolicyDecider states = store.open(RateLimitPolicy.of("policy", limits));
			RateLimit limit = limits[0];
			if (limit.algorithm() == RateLimitAlgorithm.SLIDING_WINDOW_LOG && limit.limit() > 1) {
				RateLimitDecision given = states.decide("key", limit.limit());
				states.refund("key", limit.limit(), given);
			}
			decide(states, DECISIONS);
			long before = this.threads.getCurrentThreadAllocatedBytes();
			decide(states, DECISIONS);
			return (this.threads.getCurrentThreadAllocatedBytes() - before) / DECISIONS;
		}
	}

	private void decide(PolicyDecider states, int times) {
		for (int i = 0; i < times; i++) {
			this.last = states.decide("key", 1);
		}
	}

}
