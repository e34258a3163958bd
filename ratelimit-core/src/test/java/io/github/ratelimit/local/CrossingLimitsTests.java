package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls on one key under different limits that cross each other: no permit is lost, and
 * none is taken twice. The states are of one word, or of several.
 */
class CrossingLimitsTests {

	private static final String KEY = "key";

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final int THREADS = 8;

	private final InterruptingClock clock = new InterruptingClock();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	private static RateLimitPolicy policy(boolean oneWord, long permits) {
		RateLimit limit = RateLimit.of(FIXED_WINDOW_COUNTER, permits, MINUTE);
		return oneWord ? RateLimitPolicy.of("api", limit)
				: RateLimitPolicy.of("api", limit, RateLimit.of(SLIDING_WINDOW_LOG, 10_000, MINUTE));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCallThatIsOvertakenUnderOtherLimitsTakesFromWhatTheyLeft(boolean oneWord) {
		PolicyDecider free = this.store.open(policy(oneWord, 5));
		PolicyDecider pro = free.under(policy(oneWord, 7));
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
				RateLimit.builder(LEAKY_BUCKET).limit(60).window(MINUTE).burst(burst).delay(burst - 1).build());
	}

	/*
	 * The second time is read inside of the map's operation, where only a word can still
	 * be taken from.
	 */
	@Test
	void whatIsTakenAtTheLastMomentIsCarriedOver() {
		PolicyDecider free = this.store.open(policy(true, 5));
		PolicyDecider pro = free.under(policy(true, 7));
		free.decide(KEY, 1);
		this.clock.interruptOnce(() -> free.decide(KEY, 2));
		assertThat(pro.decide(KEY, 1).remaining()).isEqualTo(3);
		assertThat(free.decide(KEY, 0).remaining()).isOne();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatIsRefundedAndChargedMeanwhileMeetsTheOtherLimitsState(boolean oneWord) {
		PolicyDecider free = this.store.open(policy(oneWord, 5));
		PolicyDecider pro = free.under(policy(oneWord, 7));
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
		PolicyDecider free = this.store.open(policy(true, 5));
		PolicyDecider pro = free.under(policy(true, 7));
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
		PolicyDecider free = this.store.open(policy(true, 600));
		List<PolicyDecider> all = List.of(free, free.under(policy(false, 1000)), free.under(policy(true, 1000)));
		long allowed = Threads.sum(THREADS, (number) -> {
			long own = 0;
			for (int i = 0; i < 1000; i++) {
				own += all.get((i + number) % 3).decide(KEY, 1).allowed() ? 1 : 0;
			}
			return own;
		});
		assertThat(allowed).isEqualTo(1000);
		assertThat(all).allMatch((each) -> each.decide(KEY, 0).remaining() == 0);
		assertThat(free.keys()).isOne();
	}

	@ParameterizedTest
	@EnumSource
	void threadsUnderTwoHighLimitsTakeAllThatTheyAreGiven(RateLimitAlgorithm algorithm) {
		RateLimit high = RoomyLimits.of(algorithm, 50_000, MINUTE);
		PolicyDecider free = this.store.open(RateLimitPolicy.of("api", RoomyLimits.of(algorithm, 5000, MINUTE)));
		PolicyDecider pro = free.under(RateLimitPolicy.of("api", high, high));
		long capacity = free.decide(KEY, 0).remaining();
		long asked = Threads.sum(THREADS, (number) -> {
			for (int i = 0; i < 500; i++) {
				assertThat(((i + number) % 2 == 0 ? free : pro).decide(KEY, 1).allowed()).isTrue();
			}
			return 500;
		});
		assertThat(free.decide(KEY, 0).remaining()).isEqualTo(capacity - asked);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatThreadsRefundUnderTwoLimitsIsThereAgain(boolean oneWord) {
		PolicyDecider free = this.store.open(policy(oneWord, 600));
		PolicyDecider pro = free.under(policy(oneWord, 900));
		Threads.run(THREADS, (number) -> {
			for (int i = 0; i < 2500; i++) {
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
