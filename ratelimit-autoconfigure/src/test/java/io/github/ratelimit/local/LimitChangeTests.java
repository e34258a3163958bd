package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What was taken from the keys of one policy under other limits stays taken in the local
 * store.
 */
class LimitChangeTests extends OneChangedPolicy {

	private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

	static Stream<Arguments> changes() {
		return Stream.of(arguments("P1", fixed(60), 50, TEN_SECONDS, fixed(6000), 5950, Duration.ofSeconds(40)),
				arguments("P2", fixed(6000), 500, TEN_SECONDS, fixed(60), 0, Duration.ofSeconds(40)),
				arguments("P3", bucket(60), 50, Duration.ZERO, bucket(6000), 5950, Duration.ofMillis(500)),
				arguments("P4", bucket(6000), 500, Duration.ZERO, bucket(60), 0, MINUTE),
				arguments("P5", policy(RateLimit.of(SLIDING_WINDOW_LOG, 5, MINUTE)), 5, Duration.ZERO, bucket(10), 10,
						Duration.ZERO));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("changes")
	void whatWasTakenStaysTaken(String example, RateLimitPolicy before, long taken, Duration pause,
			RateLimitPolicy after, long remaining, Duration full) {
		PolicyDecider states = this.store.open(before);
		PolicyDecider changed = states.under(after);
		this.clock.advance(TEN_SECONDS);
		assertThat(states.decide("key", taken).allowed()).isTrue();
		this.clock.advance(pause);
		RateLimitDecision look = changed.decide("key", 0);
		assertThat(look.remaining()).isEqualTo(remaining);
		assertThat(look.resetAfterNanos()).isEqualTo(full.toNanos());
		assertThat(changed.decide("key", remaining + 1).allowed()).isFalse();
		this.clock.advance(full.minusNanos(1).isNegative() ? Duration.ZERO : full.minusNanos(1));
		assertThat(changed.decide("key", after.capacity()).allowed()).isEqualTo(full.isZero());
		if (!full.isZero()) {
			this.clock.advanceNanos(1);
			assertThat(changed.decide("key", after.capacity()).allowed()).isTrue();
		}
	}

	@Test
	void aDowngradedBucketHasItsNextPermitAfterASecond() {
		PolicyDecider pro = this.store.open(bucket(6000));
		PolicyDecider free = pro.under(bucket(60));
		pro.decide("key", 500);
		assertThat(free.decide("key", 1).retryAfterNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		this.clock.advance(Duration.ofSeconds(1).minusNanos(1));
		assertThat(free.decide("key", 1).allowed()).isFalse();
		this.clock.advanceNanos(1);
		assertThat(free.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aLookCarriesNothingOver() {
		PolicyDecider pro = this.store.open(bucket(6000));
		PolicyDecider free = pro.under(bucket(60));
		PolicyDecider two = pro
			.under(policy(RateLimit.of(TOKEN_BUCKET, 50, MINUTE), RateLimit.of(FIXED_WINDOW_COUNTER, 40, MINUTE)));
		pro.decide("key", 500);
		assertThat(free.decide("key", 0).remaining()).isZero();
		assertThat(free.decideWithoutDelay("key", 0).remaining()).isZero();
		assertThat(free.decide("key", 61).allowed()).isFalse();
		assertThat(two.decide("key", 0).remaining()).isZero();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
	}

	private static RateLimit queue(long burst) {
		return RateLimit.builder(LEAKY_BUCKET).limit(60).window(MINUTE).burst(burst).delay(burst - 1).build();
	}

	@ParameterizedTest
	@EnumSource
	void anUpgradeAndBackTakesNothingAndGivesNothing(RateLimitAlgorithm algorithm) {
		PolicyDecider free = this.store.open(policy(RoomyLimits.of(algorithm, 60, MINUTE)));
		PolicyDecider pro = free.under(policy(RoomyLimits.of(algorithm, 6000, MINUTE)));
		long capacity = free.decide("key", 0).remaining();
		for (int i = 1; i <= capacity; i++) {
			assertThat((i % 2 == 0 ? free : pro).decide("key", 1).allowed()).isTrue();
		}
		assertThat(free.decide("key", 1).allowed()).isFalse();
		assertThat(pro.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void allStatesAreInThisProcess() {
		assertThat(this.store.open(fixed(60)).isInProcess()).isTrue();
	}

	@Test
	void aBanSurvivesAChangeOfLimits() {
		RateLimitPolicy banning = RateLimitPolicy.builder("api")
			.limit(RateLimit.of(FIXED_WINDOW_COUNTER, 1, MINUTE))
			.ban(RateLimitBan.builder().after(2).build())
			.build();
		PolicyDecider free = this.store.open(banning);
		PolicyDecider pro = free.under(banning.withLimits(List.of(RateLimit.of(FIXED_WINDOW_COUNTER, 2, MINUTE))));
		assertThat(pro.bans()).isTrue();
		free.decide("key", 1);
		assertThat(free.decide("key", 1).banned()).isFalse();
		assertThat(pro.decide("key", 1).allowed()).isTrue();
		assertThat(pro.decide("key", 3).newBan()).isZero();
		assertThat(pro.decide("key", 1).newBan()).isOne();
		assertThat(free.decide("key", 0).banned()).isTrue();
		assertThat(pro.decide("key", 1).banned()).isTrue();
		assertThat(pro.keys()).isEqualTo(free.keys()).isOne();
		pro.reset("key");
		assertThat(free.decide("key", 1).allowed()).isTrue();
	}

}
