package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Which keys the local store keeps, and for how long.
 */
class LocalStatesLifecycleTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	@ParameterizedTest
	@EnumSource
	void keepsNoMoreKeysThanItsMaximumSize(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(RoomyLimits.of(algorithm, 5, MINUTE));
		for (int i = 0; i < 5000; i++) {
			states.decide("key" + i, 1);
			assertThat(states.keys()).isLessThanOrEqualTo(100);
		}
		assertThat(states.keys()).isEqualTo(100);
		assertThat(states.evictions()).isEqualTo(4900);
	}

	@ParameterizedTest
	@EnumSource
	void evictionsOfKeysThatWereAsGoodAsNewAreNotCounted(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(RoomyLimits.of(algorithm, 5, MINUTE));
		for (int i = 0; i < 300; i++) {
			states.decide("key" + i, 1);
			this.clock.advance(Duration.ofMinutes(2));
		}
		assertThat(states.keys()).isLessThanOrEqualTo(100);
		assertThat(states.evictions()).isZero();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void theSmallestStoresStillDecide(long maximumSize) {
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, maximumSize)) {
			for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
				PolicyDecider states = small
					.open(RateLimitPolicy.of(algorithm.id(), RoomyLimits.of(algorithm, 5, MINUTE)));
				for (int i = 0; i < 1000; i++) {
					states.decide("key" + i % 7, 1);
					assertThat(states.keys()).isLessThanOrEqualTo(maximumSize);
				}
			}
		}
	}

	@Test
	void idleKeysAreForgottenExactlyWhenTheyAreAsGoodAsNew() {
		RandomCases.check(1000, (random) -> {
			RateLimitPolicy policy = RandomLimits.policy(random, 1, 61);
			try (LocalRateLimitStore fresh = new LocalRateLimitStore(this.clock, 100)) {
				PolicyDecider states = fresh.open(policy);
				RateLimitDecision last = states.decide("key", 1);
				for (int i = random.nextInt(10); i > 0; i--) {
					this.clock.advanceNanos(RandomLimits.pause(random, last, policy.limits().get(0)));
					last = states.decide("key", RandomLimits.permits(random, last, policy.capacity()));
				}
				long reset = states.decide("key", 0).resetAfterNanos();
				if (reset > 0) {
					this.clock.advanceNanos(reset - 1);
					fresh.forgetIdle();
					assertThat(states.keys()).isEqualTo(1);
					this.clock.advanceNanos(1);
				}
				fresh.forgetIdle();
				assertThat(states.keys()).isZero();
				assertThat(states.evictions()).isZero();
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void looksCreateNoKeys(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(RoomyLimits.of(algorithm, 5, MINUTE));
		RateLimitDecision look = states.decide("key", 0);
		assertThat(look.allowed()).isTrue();
		assertThat(look.resetAfterNanos()).isZero();
		assertThat(states.keys()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void requestsThatCanNeverPassCreateNoKeys(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(RoomyLimits.of(algorithm, 5, MINUTE));
		assertThat(states.decide("key", 7).retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
		assertThat(states.keys()).isZero();
	}

	@Test
	void requestsThatCanNeverPassSeveralLimitsCreateNoKeys() {
		PolicyDecider states = open(RateLimit.of(FIXED_WINDOW_COUNTER, 5, MINUTE),
				RateLimit.of(TOKEN_BUCKET, 10, MINUTE));
		assertThat(states.decide("key", 7).retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
		assertThat(states.keys()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void resetMakesAKeyNewAndLeavesTheOthers(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(RoomyLimits.of(algorithm, 5, MINUTE));
		states.decide("alice", 3);
		RateLimitDecision other = states.decide("bob", 3);
		states.reset("alice");
		states.reset("nobody");
		assertThat(states.keys()).isEqualTo(1);
		assertThat(states.decide("alice", 0).resetAfterNanos()).isZero();
		assertThat(states.decide("bob", 0).remaining()).isEqualTo(other.remaining());
		assertThat(states.evictions()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void allKeysOfAllPoliciesAreForgottenTogether(RateLimitAlgorithm algorithm) {
		PolicyDecider one = open(RoomyLimits.of(algorithm, 5, MINUTE));
		PolicyDecider other = open(RoomyLimits.of(algorithm, 5, MINUTE), RoomyLimits.of(algorithm, 9, MINUTE));
		for (String key : List.of("alice", "bob")) {
			one.decide(key, 3);
			other.decide(key, 3);
		}
		assertThat(this.store.forgetAll()).isTrue();
		assertThat(one.keys() + other.keys()).isZero();
		assertThat(this.store.memory().used()).isZero();
		assertThat(one.decide("alice", 0).resetAfterNanos()).isZero();
		assertThat(other.decide("bob", 0).resetAfterNanos()).isZero();
		assertThat(one.evictions() + other.evictions()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void aClockThatStepsBackNeitherRefillsNorBlocks(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(RoomyLimits.of(algorithm, 5, MINUTE));
		states.decide("key", 3);
		this.clock.advance(Duration.ofSeconds(7));
		RateLimitDecision before = states.decide("key", 1);
		RateLimitDecision standing = states.decide("key", 0);
		this.clock.advance(Duration.ofHours(-1));
		assertThat(Decisions.describe(states.decide("key", 0))).isEqualTo(Decisions.describe(standing));
		this.clock.advanceNanos(before.resetAfterNanos() - 1);
		assertThat(states.decide("key", 0).resetAfterNanos()).isEqualTo(1);
		this.clock.advanceNanos(1);
		assertThat(states.decide("key", 0).resetAfterNanos()).isZero();
	}

	@Test
	void policiesShareNoState() {
		RateLimit limit = RateLimit.of(TOKEN_BUCKET, 1, MINUTE);
		PolicyDecider one = this.store.open(RateLimitPolicy.of("one", limit));
		PolicyDecider other = this.store.open(RateLimitPolicy.of("other", limit));
		assertThat(one.decide("key", 1).allowed()).isTrue();
		assertThat(other.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aLogThatWouldMakeAKeyHeavierThanOneMebibyteIsRejected() {
		long heaviest = 131_056;
		open(RateLimit.of(SLIDING_WINDOW_LOG, heaviest, MINUTE));
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> open(RateLimit.of(SLIDING_WINDOW_LOG, heaviest + 1, MINUTE)))
			.withMessage("limit = 131057 would make a key of the sliding window log heavier than 1 MiB "
					+ "(8 bytes for each permit)")
			.satisfies((ex) -> assertThat(ex.action()).contains("sliding-window-counter", "131056"));
	}

	@Test
	void aFullLogStaysBelowOneMebibyte() {
		PolicyDecider states = open(RateLimit.of(SLIDING_WINDOW_LOG, 131_056, MINUTE));
		assertThat(states.decide("key", 131_055).remaining()).isEqualTo(1);
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(states.decide("key", 1).allowed()).isTrue();
		assertThat(states.decide("key", 1).retryAfter()).isEqualTo(Duration.ofSeconds(59));
	}

	@Test
	void aMaximumSizeBelowOneIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LocalRateLimitStore(this.clock, 0))
			.withMessage("The maximum number of keys must be at least 1, not 0");
	}

	private PolicyDecider open(RateLimit... limits) {
		return this.store.open(RateLimitPolicy.of("policy", limits));
	}

}
