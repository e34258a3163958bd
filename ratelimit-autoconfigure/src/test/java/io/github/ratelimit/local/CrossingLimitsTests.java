package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls on one key under different limits that cross each other: no permit is lost, and
 * none is taken twice.
 */
class CrossingLimitsTests {

	private static final String KEY = "key";

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final int THREADS = 8;

	private final InterruptingClock clock = new InterruptingClock();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	@ParameterizedTest
	@EnumSource
	void aCallThatIsOvertakenUnderOtherLimitsTakesFromWhatTheyLeft(Kind kind) {
		PolicyDecider free = this.store.open(kind.policy(5));
		PolicyDecider pro = free.under(kind.policy(7));
		free.decide(KEY, 1);
		this.clock.interruptOnce(() -> pro.decide(KEY, 2));
		assertThat(free.decide(KEY, 1).remaining()).isOne();
		assertThat(pro.decide(KEY, 0).remaining()).isEqualTo(3);
		assertThat(free.decide(KEY, 1).remaining()).isZero();
		assertThat(free.decide(KEY, 1).allowed()).isFalse();
		assertThat(pro.decide(KEY, 2).remaining()).isZero();
		assertThat(pro.decide(KEY, 1).allowed()).isFalse();
	}

	@Test
	void aCallThatCannotWaitAndIsOvertakenTakesFromWhatTheyLeft() {
		PolicyDecider free = this.store.open(queue(5));
		PolicyDecider pro = free.under(queue(7));
		free.decideWithoutDelay(KEY, 1);
		this.clock.interruptOnce(() -> pro.decideWithoutDelay(KEY, 2));
		free.decideWithoutDelay(KEY, 1);
		assertThat(free.decide(KEY, 0).remaining()).isEqualTo(2);
		assertThat(pro.decide(KEY, 0).remaining()).isEqualTo(4);
	}

	private static RateLimitPolicy queue(long burst) {
		return RateLimitPolicy.of("api",
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
					.limit(60)
					.window(MINUTE)
					.burst(burst)
					.delay(burst - 1)
					.build());
	}

	/*
	 * The second time is read inside of the map's operation, where only a word can still
	 * be taken from.
	 */
	@Test
	void whatIsTakenAtTheLastMomentIsCarriedOver() {
		PolicyDecider free = this.store.open(Kind.WORD.policy(5));
		PolicyDecider pro = free.under(Kind.WORD.policy(7));
		free.decide(KEY, 1);
		this.clock.interruptOnce(() -> free.decide(KEY, 2));
		assertThat(pro.decide(KEY, 1).remaining()).isEqualTo(3);
		assertThat(free.decide(KEY, 0).remaining()).isOne();
	}

	@ParameterizedTest
	@EnumSource
	void whatIsRefundedAndChargedMeanwhileMeetsTheOtherLimitsState(Kind kind) {
		PolicyDecider free = this.store.open(kind.policy(5));
		PolicyDecider pro = free.under(kind.policy(7));
		RateLimitDecision given = free.decide(KEY, 3);
		this.clock.interruptOnce(() -> free.refund(KEY, 1, given));
		assertThat(pro.decide(KEY, 1).remaining()).isEqualTo(4);
		this.clock.interruptOnce(() -> free.settle(KEY, 2, 3, given));
		assertThat(pro.decide(KEY, 1).remaining()).isEqualTo(2);
	}

	/*
	 * Words are locked while the time is read, so that no other call comes between.
	 */
	@Test
	void aWordThatIsReplacedMeanwhileIsSettledThroughItsSuccessor() {
		PolicyDecider free = this.store.open(Kind.WORD.policy(5));
		PolicyDecider pro = free.under(Kind.WORD.policy(7));
		RateLimitDecision given = free.decide(KEY, 3);
		this.clock.interruptOnce(() -> pro.decide(KEY, 1));
		free.refund(KEY, 2, given);
		assertThat(pro.decide(KEY, 0).remaining()).isEqualTo(5);
		this.clock.interruptOnce(() -> free.decide(KEY, 1));
		pro.settle(KEY, 1, 2, given);
		assertThat(free.decide(KEY, 0).remaining()).isOne();
	}

	@RepeatedTest(10)
	void threadsUnderTwoLimitsAllowTogetherExactlyTheHigherOne() {
		PolicyDecider free = this.store.open(Kind.WORD.policy(600));
		PolicyDecider pro = free.under(Kind.WORDS.policy(1000));
		PolicyDecider other = free.under(Kind.WORD.policy(1000));
		List<PolicyDecider> all = List.of(free, pro, other);
		List<Long> allowed = Threads.run(THREADS, (number) -> {
			long own = 0;
			for (int i = 0; i < 1000; i++) {
				own += all.get((i + number) % 3).decide(KEY, 1).allowed() ? 1 : 0;
			}
			return own;
		});
		assertThat(allowed.stream().mapToLong(Long::longValue).sum()).isEqualTo(1000);
		assertThat(free.decide(KEY, 0).remaining()).isZero();
		assertThat(pro.decide(KEY, 0).remaining()).isZero();
		assertThat(free.keys()).isOne();
	}

	@ParameterizedTest
	@EnumSource
	void threadsUnderTwoHighLimitsTakeAllThatTheyAreGiven(RateLimitAlgorithm algorithm) {
		RateLimit low = RateLimit.builder(algorithm).limit(5000).window(MINUTE).burst(burst(algorithm)).build();
		RateLimit high = RateLimit.builder(algorithm).limit(50_000).window(MINUTE).burst(burst(algorithm)).build();
		PolicyDecider free = this.store.open(RateLimitPolicy.of("api", low));
		PolicyDecider pro = free.under(RateLimitPolicy.of("api", high, high));
		long capacity = free.decide(KEY, 0).remaining();
		long asked = Threads.run(THREADS, (number) -> {
			for (int i = 0; i < 500; i++) {
				assertThat(((i + number) % 2 == 0 ? free : pro).decide(KEY, 1).allowed()).isTrue();
			}
			return 500L;
		}).stream().mapToLong(Long::longValue).sum();
		assertThat(free.decide(KEY, 0).remaining()).isEqualTo(capacity - asked);
	}

	private static Long burst(RateLimitAlgorithm algorithm) {
		return switch (algorithm) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> 5000L;
			default -> null;
		};
	}

	@RepeatedTest(5)
	void whatThreadsRefundUnderTwoLimitsIsThereAgain() {
		for (Kind kind : Kind.values()) {
			PolicyDecider free = this.store.open(kind.policy(600));
			PolicyDecider pro = free.under(kind.policy(900));
			Threads.run(THREADS, (number) -> {
				for (int i = 0; i < 500; i++) {
					PolicyDecider states = ((i + number) % 2 == 0) ? free : pro;
					RateLimitDecision given = states.decide(KEY, 50);
					assertThat(given.allowed()).isTrue();
					states.refund(KEY, 50, given);
				}
				return null;
			});
			assertThat(free.decide(KEY, 0).remaining()).isEqualTo(600);
		}
	}

	/**
	 * States of one word, and of several.
	 */
	private enum Kind {

		WORD {
			@Override
			RateLimitPolicy policy(RateLimit limit) {
				return RateLimitPolicy.of("api", limit);
			}
		},

		WORDS {
			@Override
			RateLimitPolicy policy(RateLimit limit) {
				return RateLimitPolicy.of("api", limit, RateLimit.of(SLIDING_WINDOW_LOG, 10_000, MINUTE));
			}
		};

		abstract RateLimitPolicy policy(RateLimit limit);

		RateLimitPolicy policy(long limit) {
			return policy(RateLimit.of(FIXED_WINDOW_COUNTER, limit, MINUTE));
		}

	}

}
