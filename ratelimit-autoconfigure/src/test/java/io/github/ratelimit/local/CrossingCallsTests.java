package io.github.ratelimit.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Tick;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What two calls on one key leave that cross each other: both of their permits are taken,
 * and no more than there are. The second comes while the first asks for the time.
 */
class CrossingCallsTests {

	private static final String KEY = "key";

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final RateLimit TWO = RateLimit.of(TOKEN_BUCKET, 2, MINUTE);

	private static final RateLimit FOUR = RateLimit.of(TOKEN_BUCKET, 4, MINUTE);

	private final InterruptingClock clock = new InterruptingClock();

	@Test
	void bothTakeWhereThereIsEnough() {
		LocalStates states = states(RateLimit.of(TOKEN_BUCKET, 4, MINUTE), RateLimit.of(TOKEN_BUCKET, 5, MINUTE));
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		RateLimitDecision decision = states.decide(KEY, 1);
		assertThat(decision.allowed()).isTrue();
		assertThat(decision.remaining()).isOne();
		assertThat(states.decide(KEY, 0).remaining()).isOne();
	}

	@Test
	void theSecondIsRejectedWhereThereIsNotAndTheNextIsServed() {
		LocalStates states = states(TWO, TWO);
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
		this.clock.advance(MINUTE);
		assertThat(states.decide(KEY, 2).allowed()).isTrue();
	}

	@Test
	void aRejectionCountsWhereRejectionsDo() {
		LocalStates states = states(TestPolicies.countingRejected(2, MINUTE));
		states.decide(KEY, 1);
		this.clock.advance(MINUTE.dividedBy(2));
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		this.clock.advance(MINUTE.dividedBy(2));
		assertThat(states.decide(KEY, 0).remaining()).isZero();
	}

	@Test
	void aRejectionThatWasOvertakenCountsFromWhenItWasDecided() {
		LocalStates states = states(TestPolicies.countingRejected(2, MINUTE));
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
		LocalStates states = states(TWO, TWO);
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
		long bytes = states.keys.bytes();
		this.clock.interruptOnce(() -> this.clock.advance(MINUTE));
		assertThat(states.decide(KEY, 2).remaining()).isEqualTo(18);
		assertThat(states.keys.bytes()).isEqualTo(bytes);
	}

	@Test
	void aLogIsTakenFromOnceThatGrewMeanwhile() {
		LocalStates states = logWithRoomForOne();
		this.clock.interruptOnce(() -> states.decide(KEY, 3));
		assertThat(states.decide(KEY, 1).remaining()).isEqualTo(11);
	}

	private LocalStates logWithRoomForOne() {
		LocalStates states = states(RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE));
		for (int i = 0; i < 5; i++) {
			states.decide(KEY, 1);
		}
		return states;
	}

	@Test
	void aWordIsTakenFromThatAnotherCallHasReplaced() {
		LocalStates states = states(TWO);
		checkReplaced(states);
	}

	@Test
	void wordsAreTakenFromThatAnotherCallHasReplaced() {
		checkReplaced(states(TWO, TWO));
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
		MemoryBudget memory = new MemoryBudget(10 * (KeyWeight.ofEntry(KEY.length()) + KeyWeight.ofWords(2)));
		checkCreatedAgain(states(this.clock, 1000, memory, TWO), memory);
	}

	@Test
	void wordsThatAreCreatedAgainStayWithinTheBytes() {
		MemoryBudget memory = new MemoryBudget(
				10 * (KeyWeight.ofEntry(KEY.length()) + SeqlockState.BYTES + KeyWeight.ofWords(4)));
		checkCreatedAgain(states(this.clock, 1000, memory, TWO, TWO), memory);
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
		MemoryBudget memory = new MemoryBudget(
				10 * (KeyWeight.ofEntry(KEY.length()) + SeqlockState.BYTES + KeyWeight.ofWords(3)));
		List<Long> used = new ArrayList<>();
		LocalStates states = states(() -> {
			used.add(memory.used());
			return this.clock.nanos();
		}, 1000, memory, RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE));
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
		LocalStates states = states(this.clock, 10, memory, TWO, TWO);
		states.decide(KEY, 1);
		assertThat(memory.used()).isPositive().isEqualTo(states.keys.bytes());
		this.clock.advance(Duration.ofHours(1));
		states.keys.forgetIdle();
		assertThat(memory.used()).isZero();
	}

	/*
	 * A reader trusts that a state is unchanged whose version is.
	 */
	@Test
	void eachChangeOfAStateHasAVersionOfItsOwn() {
		LocalStates states = states(RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE), TWO);
		RateLimitDecision given = states.decide(KEY, 1);
		SeqlockState state = state(states);
		List<Long> versions = new ArrayList<>();
		versions.add(state.lock);
		states.refund(KEY, 1, given);
		versions.add(state.lock);
		states.decide(KEY, 1);
		versions.add(state.lock);
		assertThat(state.retire(this.clock.nanos(), true)).isFalse();
		versions.add(state.lock);
		this.clock.interruptOnce(() -> versions.add(state.lock));
		states.refund(KEY, 1, given);
		states.settle(KEY, 1, 2, given);
		versions.add(state.lock);
		assertThat(versions).containsExactly(2L, 4L, 6L, 6L, 7L, 10L);
	}

	@Test
	void aRejectionThatIsCountedHasAVersionOfItsOwn() {
		LocalStates states = states(TestPolicies.countingRejected(2, MINUTE));
		states.decide(KEY, 2);
		SeqlockState state = state(states);
		long version = state.lock;
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		assertThat(state.lock).isEqualTo(version + 2);
	}

	@Test
	void aCallThatCannotWaitIsRejectedWithoutTheLock() {
		LocalStates states = states(RateLimit.builder(LEAKY_BUCKET).limit(4).window(MINUTE).burst(3L).build(), FOUR);
		states.decide(KEY, 1);
		SeqlockState state = state(states);
		List<Long> versions = new ArrayList<>();
		this.clock.interruptOnce(() -> versions.add(state.lock));
		assertThat(states.decideWithoutDelay(KEY, 1).queueFull()).isTrue();
		versions.add(state.lock);
		assertThat(versions).containsExactly(2L, 2L);
	}

	@Test
	void aCallThatCannotWaitTakesFromTheStateThatHasReplacedTheOneThatItWaitedFor() throws InterruptedException {
		LocalStates states = states(RateLimit.builder(LEAKY_BUCKET).limit(4).window(MINUTE).burst(3L).delay(2L).build(),
				FOUR);
		states.decideWithoutDelay(KEY, 1);
		replaceWhileItWaits(states, () -> states.decideWithoutDelay(KEY, 1), () -> {
		});
		assertThat(states.keys()).isOne();
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(3);
	}

	@Test
	void whatIsSettledIsSettledInTheStateThatHasReplacedTheOneThatItWaitedFor() throws InterruptedException {
		LocalStates states = states(FOUR, FOUR);
		RateLimitDecision given = states.decide(KEY, 2);
		replaceWhileItWaits(states, () -> states.refund(KEY, 1, given), () -> states.decide(KEY, 3));
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(2);
		replaceWhileItWaits(states, () -> states.settle(KEY, 1, 2, given), () -> states.decide(KEY, 2));
		assertThat(states.decide(KEY, 0).remaining()).isOne();
	}

	private static void replaceWhileItWaits(LocalStates states, Runnable call, Runnable replacing)
			throws InterruptedException {
		SeqlockState state = state(states);
		state.lock = state.lock + 1;
		Thread thread = new Thread(call);
		thread.start();
		Awaitility.await()
			.until(() -> Stream.of(thread.getStackTrace())
				.map(StackTraceElement::getMethodName)
				.anyMatch(Set.of("lock", "pause")::contains));
		states.keys.map().remove(KEY);
		replacing.run();
		state.lock = -1;
		thread.join();
	}

	private LocalStates states(RateLimit... limits) {
		return states(this.clock, 10, new MemoryBudget(Long.MAX_VALUE), limits);
	}

	private static LocalStates states(RateLimitClock clock, long maximumSize, MemoryBudget memory,
			RateLimit... limits) {
		return new LocalStates(Algorithm.of(List.of(limits), Tick.NANOSECOND),
				new LocalKeys<>(clock, maximumSize, memory));
	}

	private static SeqlockState state(LocalStates states) {
		return (SeqlockState) states.keys.map().get(KEY);
	}

}
