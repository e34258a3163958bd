package io.github.ratelimit.local;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.algorithm.WordAlgorithm;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What two calls on one key leave that cross each other: both of their permits are taken,
 * and no more than there are. The second comes while the first asks for the time.
 */
class CrossingCallsTests {

	private static final String KEY = "key";

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final RateLimit TWO = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 2, MINUTE);

	private static final RateLimit FOUR = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 4, MINUTE);

	private final InterruptingClock clock = new InterruptingClock();

	@Test
	void bothTakeWhereThereIsEnough() {
		LocalStates states = words(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 4, MINUTE),
				RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, MINUTE));
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		RateLimitDecision decision = states.decide(KEY, 1);
		assertThat(decision.allowed()).isTrue();
		assertThat(decision.remaining()).isOne();
		assertThat(states.decide(KEY, 0).remaining()).isOne();
	}

	@Test
	void theSecondIsRejectedWhereThereIsNotAndTheNextIsServed() {
		LocalStates states = words(TWO, TWO);
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
		this.clock.advance(MINUTE);
		assertThat(states.decide(KEY, 2).allowed()).isTrue();
	}

	@Test
	void aRejectionCountsWhereRejectionsDo() {
		LocalStates states = words(RateLimit.builder(RateLimitAlgorithm.SLIDING_WINDOW_LOG)
			.limit(2)
			.window(MINUTE)
			.countRejected(true)
			.build());
		states.decide(KEY, 1);
		this.clock.advance(MINUTE.dividedBy(2));
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		this.clock.advance(MINUTE.dividedBy(2));
		assertThat(states.decide(KEY, 0).remaining()).isZero();
	}

	@Test
	void aRejectionThatWasOvertakenCountsFromWhenItWasDecided() {
		LocalStates states = words(RateLimit.builder(RateLimitAlgorithm.SLIDING_WINDOW_LOG)
			.limit(2)
			.window(MINUTE)
			.countRejected(true)
			.build());
		states.decide(KEY, 2);
		this.clock.advance(MINUTE);
		this.clock.interruptOnce(() -> {
			states.decide(KEY, 2);
			this.clock.advance(MINUTE.dividedBy(2));
		});
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		this.clock.advance(MINUTE.dividedBy(2));
		assertThat(states.decide(KEY, 0).remaining()).isOne();
	}

	/*
	 * The clock steps back, so that a permit that is there at first is not there when the
	 * call, overtaken by another, looks again.
	 */
	@Test
	void whatIsNoLongerThereIsNotTakenAndTheNextCallIsServed() {
		LocalStates states = words(TWO, TWO);
		RateLimitDecision decision = decideOvertaken(states);
		assertThat(decision.allowed()).isFalse();
		this.clock.advance(MINUTE);
		assertThat(states.decide(KEY, 1).allowed()).isTrue();
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
	}

	private RateLimitDecision decideOvertaken(LocalStates states) {
		states.decide(KEY, 2);
		this.clock.advance(MINUTE);
		this.clock.interruptOnce(() -> {
			states.decide(KEY, 1);
			this.clock.advance(MINUTE.negated());
		});
		return states.decide(KEY, 1);
	}

	@Test
	void aLogWhoseStampsCountAgainGrows() {
		LocalStates states = logWithRoomForOne();
		RateLimitDecision look = states.decide(KEY, 0);
		this.clock.advance(MINUTE);
		this.clock.interruptOnce(() -> {
			states.refund(KEY, 0, look);
			this.clock.advance(MINUTE.negated());
		});
		assertThat(states.decide(KEY, 2).remaining()).isEqualTo(13);
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(13);
	}

	@Test
	void aLogGrowsWhoseRoomIsTakenMeanwhile() {
		LocalStates states = logWithRoomForOne();
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).remaining()).isEqualTo(13);
	}

	/*
	 * What has no room would overwrite the oldest stamp with its own.
	 */
	@Test
	void aLogThatGrowsWithStampsThatCountAgainKeepsTheOldest() {
		LocalStates states = logWithRoomForOne();
		RateLimitDecision look = states.decide(KEY, 0);
		this.clock.advance(MINUTE);
		this.clock.interruptOnce(() -> {
			states.refund(KEY, 0, look);
			this.clock.advance(MINUTE.dividedBy(2).negated());
		});
		assertThat(states.decide(KEY, 2).remaining()).isEqualTo(13);
		this.clock.advance(MINUTE.dividedBy(2));
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(18);
	}

	@Test
	void aLogWhoseStampsExpireMeanwhileNeedNotGrow() {
		LocalStates states = logWithRoomForOne();
		Object state = states.map().get(KEY);
		this.clock.interruptOnce(() -> this.clock.advance(MINUTE));
		assertThat(states.decide(KEY, 2).remaining()).isEqualTo(18);
		assertThat(states.map().get(KEY)).isSameAs(state);
	}

	@Test
	void aLogIsTakenFromOnceThatGrewMeanwhile() {
		LocalStates states = logWithRoomForOne();
		this.clock.interruptOnce(() -> states.decide(KEY, 3));
		assertThat(states.decide(KEY, 1).remaining()).isEqualTo(11);
	}

	private LocalStates logWithRoomForOne() {
		LocalStates states = words(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 20, MINUTE));
		for (int i = 0; i < 5; i++) {
			states.decide(KEY, 1);
		}
		return states;
	}

	@Test
	void aWordIsTakenFromThatAnotherCallHasReplaced() {
		LocalStates states = new CasStates((WordAlgorithm) Algorithm.of(TWO, Tick.NANOSECOND), this.clock, 10,
				new MemoryBudget(Long.MAX_VALUE));
		checkReplaced(states);
	}

	@Test
	void wordsAreTakenFromThatAnotherCallHasReplaced() {
		checkReplaced(words(TWO, TWO));
	}

	private void checkReplaced(LocalStates states) {
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> {
			states.reset(KEY);
			states.decide(KEY, 1);
		});
		RateLimitDecision decision = states.decide(KEY, 1);
		assertThat(decision.allowed()).isTrue();
		assertThat(decision.remaining()).isZero();
		assertThat(states.keys()).isOne();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
	}

	@Test
	void aWordThatIsCreatedAgainStaysWithinTheBytes() {
		MemoryBudget memory = new MemoryBudget(10 * KeyWeight.of(KEY, new long[2]));
		checkCreatedAgain(new CasStates((WordAlgorithm) Algorithm.of(TWO, Tick.NANOSECOND), this.clock, 1000, memory),
				memory);
	}

	@Test
	void wordsThatAreCreatedAgainStayWithinTheBytes() {
		MemoryBudget memory = new MemoryBudget(10 * KeyWeight.of(KEY, new long[5]));
		checkCreatedAgain(new SeqlockStates(Algorithm.of(List.of(TWO, TWO), Tick.NANOSECOND), this.clock, 1000, memory),
				memory);
	}

	private void checkCreatedAgain(LocalStates states, MemoryBudget memory) {
		for (int i = 0; i < 9; i++) {
			states.decide("ke" + i, 1);
		}
		states.decide(KEY, 1);
		assertThat(memory.used()).isEqualTo(memory.maximum());
		this.clock.interruptOnce(() -> {
			states.reset(KEY);
			states.decide("one", 1);
		});
		assertThat(states.decide(KEY, 1).allowed()).isTrue();
		assertThat(memory.used()).isLessThanOrEqualTo(memory.maximum());
	}

	/*
	 * The last time is read to decide, and the one before it while the log is copied.
	 */
	@Test
	void roomForALargerLogIsThereBeforeItIsCopied() {
		MemoryBudget memory = new MemoryBudget(10 * KeyWeight.of(KEY, new long[4]));
		List<Long> used = new ArrayList<>();
		LocalStates states = new SeqlockStates(
				Algorithm.of(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 20, MINUTE), Tick.NANOSECOND), () -> {
					used.add(memory.used());
					return this.clock.nanos();
				}, 1000, memory);
		for (int i = 0; i < 9; i++) {
			states.decide("ke" + i, 1);
		}
		states.decide(KEY, 1);
		assertThat(memory.used()).isEqualTo(memory.maximum());
		states.decide(KEY, 1);
		assertThat(used.get(used.size() - 2)).isLessThanOrEqualTo(memory.maximum());
	}

	@Test
	void whatIsForgottenIsNotCounted() {
		MemoryBudget memory = new MemoryBudget(Long.MAX_VALUE);
		LocalStates states = new SeqlockStates(Algorithm.of(List.of(TWO, TWO), Tick.NANOSECOND), this.clock, 10,
				memory);
		states.decide(KEY, 1);
		assertThat(memory.used()).isPositive().isEqualTo(states.bytes());
		this.clock.advance(Duration.ofHours(1));
		states.forgetIdle();
		assertThat(memory.used()).isZero();
	}

	/*
	 * A reader trusts that a state is unchanged whose version is.
	 */
	@Test
	void eachChangeOfAStateHasAVersionOfItsOwn() {
		LocalStates states = words(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 20, MINUTE), TWO);
		RateLimitDecision given = states.decide(KEY, 1);
		long[] state = (long[]) states.map().get(KEY);
		List<Long> versions = new ArrayList<>();
		versions.add(state[0]);
		states.refund(KEY, 1, given);
		versions.add(state[0]);
		states.decide(KEY, 1);
		versions.add(state[0]);
		assertThat(states.retireIfIdle(state)).isFalse();
		versions.add(state[0]);
		this.clock.interruptOnce(() -> versions.add(state[0]));
		states.refund(KEY, 1, given);
		states.settle(KEY, 1, 2, given);
		versions.add(state[0]);
		assertThat(versions).containsExactly(2L, 4L, 6L, 8L, 9L, 12L);
	}

	@Test
	void aRejectionThatIsCountedHasAVersionOfItsOwn() {
		LocalStates states = words(RateLimit.builder(RateLimitAlgorithm.SLIDING_WINDOW_LOG)
			.limit(2)
			.window(MINUTE)
			.countRejected(true)
			.build());
		states.decide(KEY, 2);
		long[] state = (long[]) states.map().get(KEY);
		assertThat(state[0]).isEqualTo(2);
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		assertThat(states.map().get(KEY)).isSameAs(state);
		assertThat(state[0]).isEqualTo(4);
	}

	@Test
	void aCallThatCannotWaitIsRejectedWithoutTheLock() {
		LocalStates states = words(
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET).limit(4).window(MINUTE).burst(3L).build(), FOUR);
		states.decide(KEY, 1);
		long[] state = (long[]) states.map().get(KEY);
		List<Long> versions = new ArrayList<>();
		this.clock.interruptOnce(() -> versions.add(state[0]));
		assertThat(states.decideWithoutDelay(KEY, 1).queueFull()).isTrue();
		versions.add(state[0]);
		assertThat(versions).containsExactly(2L, 2L);
	}

	@Test
	void aCallThatCannotWaitTakesFromTheStateThatHasReplacedTheOneThatItWaitedFor() throws InterruptedException {
		LocalStates states = words(
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET).limit(4).window(MINUTE).burst(3L).delay(2L).build(),
				FOUR);
		states.decideWithoutDelay(KEY, 1);
		replaceWhileItWaits(states, () -> states.decideWithoutDelay(KEY, 1), () -> {
		});
		assertThat(states.keys()).isOne();
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(3);
	}

	@Test
	void whatIsSettledIsSettledInTheStateThatHasReplacedTheOneThatItWaitedFor() throws InterruptedException {
		LocalStates states = words(FOUR, FOUR);
		RateLimitDecision given = states.decide(KEY, 2);
		replaceWhileItWaits(states, () -> states.refund(KEY, 1, given), () -> states.decide(KEY, 3));
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(2);
		replaceWhileItWaits(states, () -> states.settle(KEY, 1, 2, given), () -> states.decide(KEY, 2));
		assertThat(states.decide(KEY, 0).remaining()).isOne();
	}

	private static void replaceWhileItWaits(LocalStates states, Runnable call, Runnable replacing)
			throws InterruptedException {
		VarHandle words = MethodHandles.arrayElementVarHandle(long[].class);
		long[] state = (long[]) states.map().get(KEY);
		words.setVolatile(state, 0, state[0] + 1);
		Thread thread = new Thread(call);
		thread.start();
		Awaitility.await()
			.until(() -> Stream.of(thread.getStackTrace())
				.map(StackTraceElement::getMethodName)
				.anyMatch(Set.of("lock", "pause")::contains));
		states.map().remove(KEY);
		replacing.run();
		words.setVolatile(state, 0, -1L);
		thread.join();
	}

	private LocalStates words(RateLimit... limits) {
		return new SeqlockStates(Algorithm.of(List.of(limits), Tick.NANOSECOND), this.clock, 10,
				new MemoryBudget(Long.MAX_VALUE));
	}

}
