package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link Algorithm#withoutDelays()}, and the delays that it is without.
 */
class WithoutDelaysTests {

	private static final long EPOCH = 1_772_668_800_000_000_000L;

	private static final Duration SECOND = Duration.ofSeconds(1);

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEAKY_BUCKET")
	void anAlgorithmThatDelaysNobodyIsItsOwn(RateLimitAlgorithm algorithm) {
		Algorithm subject = Algorithm.of(RoomyLimits.of(algorithm, 5, SECOND), Tick.NANOSECOND, false);
		assertThat(subject.withoutDelays()).isSameAs(subject);
	}

	@ParameterizedTest
	@EnumSource
	void aRejectionWithoutDelaysTellsTheDelay(Tick resolution) {
		long now = EPOCH / resolution.nanosPerTick();
		List<RateLimit> limits = List.of(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 9, SECOND), queue(5, 1));
		OneKey key = new OneKey(Algorithm.of(limits, resolution), now);
		key.decide(now, 2);
		RateLimitDecision rejection = key.algorithm.withoutDelays()
			.decision(key.words(), OneKey.AT, now, 3, false, null);
		assertThat(rejection.retryAfter()).isEqualTo(SECOND.multipliedBy(3));
		assertThat(key.decide(now, 3).delay()).isEqualTo(SECOND.multipliedBy(3));
	}

	@ParameterizedTest
	@EnumSource
	void onlyTheLastInAQueueGivesItsPlaceBack(Tick resolution) {
		long now = EPOCH / resolution.nanosPerTick();
		OneKey key = new OneKey(queue(5, 0), resolution, now);
		key.decide(now, 1);
		RateLimitDecision middle = key.decide(now, 1);
		RateLimitDecision last = key.decide(now, 1);
		key.refund(now, 1, middle);
		assertThat(key.look(now).remaining()).isEqualTo(3);
		key.refund(now, 1, last);
		assertThat(key.look(now).remaining()).isEqualTo(4);
	}

	private static RateLimit queue(long burst, long delay) {
		return RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(1)
			.window(SECOND)
			.burst(burst)
			.delay(delay)
			.build();
	}

}
