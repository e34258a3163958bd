package io.github.ratelimit.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.MemoryBudget;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What two calls on one key leave that cross each other: both of their permits are taken,
 * and no more than there are. The second comes while the first asks for the time, which
 * is between its other steps.
 */
class CrossingCallsTests {

	private static final String KEY = "key";

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration HALF_A_MINUTE = MINUTE.dividedBy(2);

	private static final RateLimit TWO = RateLimit.of(TOKEN_BUCKET, 2, MINUTE);

	private static final RateLimit FOUR = RateLimit.of(TOKEN_BUCKET, 4, MINUTE);

	private final InterruptingClock clock = new InterruptingClock();

	@Test
	void bothTakeWhereThereIsEnough() {
		LocalDecider states = this.clock.states(FOUR, RateLimit.of(TOKEN_BUCKET, 5, MINUTE));
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).remaining()).isOne();
		assertThat(states.decide(KEY, 0).remaining()).isOne();
	}

	@ParameterizedTest
	@EnumSource
	void theSecondIsRejectedWhereThereIsNotAndTheNextIsServed(Kind kind) {
		LocalDecider states = this.clock.states(kind.limits);
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
		this.clock.advance(MINUTE);
		assertThat(states.decide(KEY, 2).allowed()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void noRequestIsRejectedByAStateThatIsNewerThanItsTime(Kind kind) {
		LocalDecider states = this.clock.states(kind.limits);
		states.decide(KEY, 2);
		this.clock.advance(HALF_A_MINUTE);
		this.clock.interruptOnce(() -> {
			this.clock.advance(HALF_A_MINUTE);
			assertThat(states.decide(KEY, 1).allowed()).isTrue();
		});
		assertThat(states.decide(KEY, 1).allowed()).isTrue();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
	}

	@Test
	void aRejectionCountsWhereRejectionsDo() {
		LocalDecider states = this.clock.states(TestPolicies.countingRejected(2, MINUTE));
		states.decide(KEY, 1);
		this.clock.advance(HALF_A_MINUTE);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		this.clock.advance(HALF_A_MINUTE);
		assertThat(states.decide(KEY, 0).remaining()).isZero();
	}

	@Test
	void aRejectionThatWasOvertakenCountsFromWhenItWasDecided() {
		LocalDecider states = this.clock.states(TestPolicies.countingRejected(2, MINUTE));
		states.decide(KEY, 2);
		this.clock.advance(MINUTE);
		this.clock.interruptOnce(() -> {
			states.decide(KEY, 2);
			this.clock.advance(HALF_A_MINUTE);
		});
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		this.clock.advance(HALF_A_MINUTE);
		assertThat(states.decide(KEY, 0).remaining()).isOne();
	}

	/*
	 * The clock steps back, so that a permit that is there at first is not there when the
	 * call, overtaken by another, looks again.
	 */
	@Test
	void whatIsNoLongerThereIsNotTakenAndTheNextCallIsServed() {
		LocalDecider states = this.clock.states(TWO, TWO);
		states.decide(KEY, 2);
		this.clock.advance(MINUTE);
		this.clock.interruptOnce(() -> {
			states.decide(KEY, 1);
			this.clock.advance(MINUTE.negated());
		});
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		this.clock.advance(MINUTE);
		assertThat(states.decide(KEY, 1).allowed()).isTrue();
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
	}

	/*
	 * Stamps that have expired when the call looks count again when it takes. What has no
	 * room would overwrite the oldest stamp with its own.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 60, 30 })
	void aLogThatGrowsWithStampsThatCountAgainKeepsTheOldest(long secondsBack) {
		LocalDecider states = logWithRoomForOne();
		RateLimitDecision look = states.decide(KEY, 0);
		this.clock.advance(MINUTE);
		this.clock.interruptOnce(() -> {
			states.refund(KEY, 0, look);
			this.clock.advance(Duration.ofSeconds(-secondsBack));
		});
		assertThat(states.decide(KEY, 2).remaining()).isEqualTo(13);
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(13);
		this.clock.advance(Duration.ofSeconds(secondsBack));
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo((secondsBack == 30) ? 18 : 20);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 3 })
	void aLogIsTakenFromOnceThatGrewMeanwhileAndWeighsWhatItTakes(long meanwhile) {
		LocalDecider states = logWithRoomForOne();
		this.clock.interruptOnce(() -> states.decide(KEY, meanwhile));
		assertThat(states.decide(KEY, 1).remaining()).isEqualTo(14 - meanwhile);
		assertThat(states.keys.bytes()).isEqualTo(states.keys.bytesOf(KEY, states.keys.map().get(KEY)));
	}

	@Test
	void aLogWhoseStampsExpireMeanwhileNeedNotGrow() {
		LocalDecider states = logWithRoomForOne();
		long bytes = states.keys.bytes();
		this.clock.interruptOnce(() -> this.clock.advance(MINUTE));
		assertThat(states.decide(KEY, 2).remaining()).isEqualTo(18);
		assertThat(states.keys.bytes()).isEqualTo(bytes);
	}

	private LocalDecider logWithRoomForOne() {
		LocalDecider states = this.clock.states(RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE));
		for (int i = 0; i < 5; i++) {
			states.decide(KEY, 1);
		}
		return states;
	}

	@ParameterizedTest
	@EnumSource
	void noPermitIsTakenFromAStateThatIsRemoved(Removal removal) {
		for (Kind kind : Kind.values()) {
			LocalDecider states = withIdleKey(kind.limits);
			this.clock.interruptOnce(() -> {
				removal.way.accept(states);
				assertThat(states.keys.map()).doesNotContainKey(KEY);
			});
			assertThat(states.decide(KEY, 2).remaining()).isZero();
			assertThat(states.decide(KEY, 0).remaining()).isZero();
			assertThat(states.decide(KEY, 1).allowed()).isFalse();
		}
		LocalDecider queue = withIdleKey(RoomyLimits.of(LEAKY_BUCKET, 2, MINUTE));
		this.clock.interruptOnce(() -> removal.way.accept(queue));
		assertThat(queue.decideWithoutDelay(KEY, 1).allowed()).isTrue();
		assertThat(queue.decideWithoutDelay(KEY, 1).allowed()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void aStateIsTakenFromThatAnotherCallHasReplaced(Kind kind) {
		LocalDecider states = this.clock.states(kind.limits);
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> {
			states.reset(KEY);
			states.decide(KEY, 1);
		});
		assertThat(states.decide(KEY, 1)).returns(true, RateLimitDecision::allowed)
			.returns(0L, RateLimitDecision::remaining);
		assertThat(states.keys()).isOne();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void aKeyIsNotForgottenThatIsTakenFromMeanwhile(Kind kind) {
		LocalDecider states = withIdleKey(kind.limits);
		this.clock.interruptOnce(() -> states.decide(KEY, 2));
		states.keys.forgetIdle();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
		assertThat(states.keys()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void aKeyThatIsTakenFromAfterItSeemedIdleIsNotRetired(Kind kind) {
		LocalDecider states = withIdleKey(kind.limits);
		LocalState state = states.keys.map().get(KEY);
		assertThat(state.looksIdle(this.clock.nanos())).isTrue();
		states.decide(KEY, 1);
		assertThat(state.retire(this.clock.nanos(), true)).isFalse();
		assertThat(states.decide(KEY, 1).remaining()).isZero();
	}

	/*
	 * The second time is read inside of the map's operation, where only a word can still
	 * be taken from.
	 */
	@Test
	void aWordIsNotForgottenThatIsTakenFromAtTheLastMoment() {
		LocalDecider states = withIdleKey(TWO);
		this.clock.interruptOnce(() -> this.clock.interruptOnce(() -> states.decide(KEY, 2)));
		states.keys.forgetIdle();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
		assertThat(states.keys()).isEqualTo(1);
	}

	private LocalDecider withIdleKey(RateLimit... limits) {
		LocalDecider states = this.clock.states(limits);
		states.decide(KEY, 1);
		this.clock.advance(Duration.ofHours(1));
		return states;
	}

	@Test
	void aPermitIsRefundedBesideOneThatIsTakenMeanwhileAndNotToAStateThatIsRemoved() {
		LocalDecider states = this.clock.states(TWO);
		RateLimitDecision given = states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		states.refund(KEY, 1, given);
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(1);
		RateLimitDecision last = states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.reset(KEY));
		states.refund(KEY, 1, last);
		assertThat(states.keys()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void aStateThatIsCreatedAgainStaysWithinTheBytes(Kind kind) {
		long bytes = MemoryBudget.ofEntry(KEY.length())
				+ ((kind == Kind.WORDS) ? SeqlockState.BYTES + KeyWeight.bytesOfWords(4) : KeyWeight.bytesOfWords(2));
		MemoryBudget memory = new MemoryBudget(10 * bytes);
		LocalDecider states = this.clock.states(memory, kind.limits);
		fill(states, memory);
		this.clock.interruptOnce(() -> {
			states.reset(KEY);
			states.decide("one", 1);
		});
		assertThat(states.decide(KEY, 1).allowed()).isTrue();
		assertThat(memory.used()).isLessThanOrEqualTo(memory.maximum());
	}

	private static void fill(LocalDecider states, MemoryBudget memory) {
		for (int i = 0; i < 9; i++) {
			states.decide("ke" + i, 1);
		}
		states.decide(KEY, 1);
		assertThat(memory.used()).isEqualTo(memory.maximum());
	}

	/*
	 * The last time is read to decide, and the one before it while the log is copied.
	 */
	@Test
	void roomForALargerLogIsThereBeforeItIsCopied() {
		MemoryBudget memory = new MemoryBudget(
				10 * (MemoryBudget.ofEntry(KEY.length()) + SeqlockState.BYTES + KeyWeight.bytesOfWords(3)));
		List<Long> used = new ArrayList<>();
		LocalDecider states = new LocalDecider(RateLimitPolicy.of("log", RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE)),
				new LocalKeys<>(() -> {
					used.add(memory.used());
					return this.clock.nanos();
				}, 1000, memory));
		fill(states, memory);
		states.decide(KEY, 1);
		assertThat(used.get(used.size() - 2)).isLessThanOrEqualTo(memory.maximum());
	}

	/*
	 * A reader trusts that a state is unchanged whose version is. A log that must grow
	 * changes twice.
	 */
	@Test
	void eachChangeOfAStateHasAVersionOfItsOwn() {
		LocalDecider states = this.clock.states(TestPolicies.countingRejected(20, MINUTE), TWO);
		RateLimitDecision given = states.decide(KEY, 1);
		SeqlockState state = state(states);
		List<Long> versions = new ArrayList<>();
		versions.add(state.get());
		states.refund(KEY, 1, given);
		versions.add(state.get());
		states.decide(KEY, 2);
		versions.add(state.get());
		states.decide(KEY, 1);
		versions.add(state.get());
		assertThat(state.retire(this.clock.nanos(), true)).isFalse();
		versions.add(state.get());
		this.clock.interruptOnce(() -> versions.add(state.get()));
		states.refund(KEY, 1, given);
		states.settle(KEY, 1, 2, given);
		versions.add(state.get());
		assertThat(versions).containsExactly(2L, 4L, 8L, 12L, 12L, 13L, 16L);
	}

	@Test
	void aCallThatCannotWaitIsRejectedWithoutTheLock() {
		LocalDecider states = this.clock.states(queue(0), FOUR);
		states.decide(KEY, 1);
		SeqlockState state = state(states);
		List<Long> versions = new ArrayList<>();
		this.clock.interruptOnce(() -> versions.add(state.get()));
		assertThat(states.decideWithoutDelay(KEY, 1).queueFull()).isTrue();
		versions.add(state.get());
		assertThat(versions).containsExactly(2L, 2L);
	}

	@Test
	void aCallThatCannotWaitTakesFromTheStateThatHasReplacedTheOneThatItWaitedFor() throws InterruptedException {
		LocalDecider states = this.clock.states(queue(2), FOUR);
		states.decideWithoutDelay(KEY, 1);
		replaceWhileItWaits(states, () -> states.decideWithoutDelay(KEY, 1), () -> {
		});
		assertThat(states.keys()).isOne();
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(3);
	}

	private static RateLimit queue(long delay) {
		return RateLimit.builder(LEAKY_BUCKET).limit(4).window(MINUTE).burst(3L).delay(delay).build();
	}

	@Test
	void whatIsSettledIsSettledInTheStateThatHasReplacedTheOneThatItWaitedFor() throws InterruptedException {
		LocalDecider states = this.clock.states(FOUR, FOUR);
		RateLimitDecision given = states.decide(KEY, 2);
		replaceWhileItWaits(states, () -> states.refund(KEY, 1, given), () -> states.decide(KEY, 3));
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(2);
		replaceWhileItWaits(states, () -> states.settle(KEY, 1, 2, given), () -> states.decide(KEY, 2));
		assertThat(states.decide(KEY, 0).remaining()).isOne();
	}

	private static void replaceWhileItWaits(LocalDecider states, Runnable call, Runnable replacing)
			throws InterruptedException {
		SeqlockState state = state(states);
		state.set(state.get() + 1);
		Thread thread = new Thread(call);
		thread.start();
		Awaitility.await()
			.until(() -> Stream.of(thread.getStackTrace())
				.map(StackTraceElement::getMethodName)
				.anyMatch(Set.of("lock", "pause")::contains));
		states.keys.map().remove(KEY);
		replacing.run();
		state.set(LocalState.RETIRED);
		thread.join();
	}

	private static SeqlockState state(LocalDecider states) {
		return (SeqlockState) states.keys.map().get(KEY);
	}

	/**
	 * States that allow two permits a minute.
	 */
	private enum Kind {

		WORD(TWO), WORDS(TWO, TWO);

		private final RateLimit[] limits;

		Kind(RateLimit... limits) {
			this.limits = limits;
		}

	}

	/**
	 * A way for the state of a key to leave the map.
	 */
	private enum Removal {

		RESET((states) -> states.reset(KEY)),

		IDLE((states) -> states.keys.forgetIdle()),

		EVICTION((states) -> {
			for (int i = 0; i < 1000 && states.keys.map().containsKey(KEY); i++) {
				states.decide("other" + i % 50, 1);
			}
		});

		private final Consumer<LocalDecider> way;

		Removal(Consumer<LocalDecider> way) {
			this.way = way;
		}

	}

}
