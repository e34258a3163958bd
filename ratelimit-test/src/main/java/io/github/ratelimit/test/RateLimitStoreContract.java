package io.github.ratelimit.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitStates;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import io.github.ratelimit.test.model.ReferenceModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of stores: every decision of the worked examples, and the decisions of
 * plain models for random traces. Extend it to test a store.
 * <p>
 * A store that goes by {@link #clock()} only needs {@link #open}; a store with a clock of
 * its own also overrides how to read and move that. A random trace that fails names its
 * seed, and the system property {@code ratelimit.seed} runs it alone.
 *
 * @since 0.1.0
 */
public abstract class RateLimitStoreContract {

	private static final int STEPS = 40;

	private static final String[] KEYS = { "alice", "bob" };

	private static final int THREADS = 4;

	private final ManualClock clock = ManualClock.atMidnight();

	/**
	 * Opens a policy in a store without any state of it.
	 * @param policy the policy
	 * @return its states
	 */
	protected abstract RateLimitStates open(RateLimitPolicy policy);

	/**
	 * The clock for a store that takes the time from its process.
	 * @return a clock that only this contract moves
	 */
	protected final ManualClock clock() {
		return this.clock;
	}

	/**
	 * Reads the store's time.
	 * @return nanoseconds since the epoch, whole ticks
	 */
	protected long now() {
		return this.clock.nanos();
	}

	/**
	 * Moves the store's time.
	 * @param nanos how far forward, whole ticks
	 */
	protected void advance(long nanos) {
		this.clock.advanceNanos(nanos);
	}

	/**
	 * Sets the clock back that the store goes by.
	 * @param nanos how far, whole ticks
	 */
	protected void stepBack(long nanos) {
		this.clock.advanceNanos(-nanos);
	}

	/**
	 * The store's tick.
	 * @return nanoseconds
	 */
	protected long nanosPerTick() {
		return 1;
	}

	/**
	 * The bits of the numbers in which the store counts units of rate.
	 * @return the number of bits
	 */
	protected int bits() {
		return 61;
	}

	/**
	 * How many random traces to compare.
	 * @return the number
	 */
	protected int traces() {
		return 700;
	}

	@ParameterizedTest
	@MethodSource("io.github.ratelimit.test.WorkedExample#all")
	void workedExamplesHaveTheirOutcomes(WorkedExample example) {
		RateLimitStates states = open(RateLimitPolicy.of("example", example.limit()));
		long begin = nextMidnight();
		List<String> outcomes = new ArrayList<>();
		for (int i = 0; i < example.arrivals().size(); i++) {
			advance(begin + example.nanos(i) - now());
			outcomes.add(example.outcome(i, states.decide("key", example.permits(i))));
		}
		assertThat(outcomes).isEqualTo(example.outcomes());
	}

	private long nextMidnight() {
		long day = 86_400_000_000_000L;
		return (now() / day + 1) * day;
	}

	@Test
	void whatWasGivenBackStaysGivenBackWhileOtherLimitsGoOn() {
		RateLimitStates states = open(RateLimitPolicy.of("policy",
				RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1)),
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 20, Duration.ofDays(1))));
		advance(nextMidnight() - now());
		states.decide("key", 1);
		advance(Duration.ofMinutes(2).toNanos());
		RateLimitDecision first = states.decide("key", 1);
		advance(Duration.ofSeconds(10).toNanos());
		RateLimitDecision second = states.decide("key", 1);
		states.giveBack("key", 1, second);
		states.giveBack("key", 1, first);
		advance(Duration.ofSeconds(55).toNanos());
		assertThat(states.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(10L, 19L);
	}

	@Test
	void randomTracesAreDecidedAsTheModelsDecideThem() {
		RandomCases.check(traces(), this::checkTrace);
	}

	private void checkTrace(Random random) {
		RateLimitPolicy policy = RandomLimits.policy(random, nanosPerTick(), bits());
		RateLimitStates states = open(policy);
		ReferenceModel[] models = new ReferenceModel[KEYS.length];
		RateLimitDecision[] last = new RateLimitDecision[KEYS.length];
		for (int i = 0; i < KEYS.length; i++) {
			models[i] = new ReferenceModel(policy, nanosPerTick());
			last[i] = check(states, i, models[i], 0, policy);
		}
		for (int step = 0; step < STEPS; step++) {
			int who = random.nextInt(KEYS.length);
			RateLimit limit = policy.limits().get(random.nextInt(policy.limits().size()));
			advance(RandomLimits.pause(random, last[who], limit) / nanosPerTick() * nanosPerTick());
			long permits = RandomLimits.permits(random, last[who], policy.capacity());
			last[who] = check(states, who, models[who], permits, policy);
			int then = random.nextInt(40);
			if (then == 0) {
				states.reset(KEYS[who]);
				models[who] = new ReferenceModel(policy, nanosPerTick());
			}
			else if (then < 4 && last[who].allowed()) {
				advance(RandomLimits.pause(random, last[who], limit) / nanosPerTick() * nanosPerTick());
				states.giveBack(KEYS[who], permits, last[who]);
				models[who].forgetLast();
			}
			last[who] = check(states, who, models[who], 0, policy);
		}
	}

	@Test
	void aClockThatIsSetBackBlocksNobodyAndRefillsNothing() {
		RandomCases.check(traces(), (random) -> {
			SteppedTrace trace = steppedTrace(RandomLimits.policy(random, nanosPerTick(), bits()));
			trace.run(random);
			trace.checkIsBlockedNoLongerThanEver(random);
		});
	}

	private SteppedTrace steppedTrace(RateLimitPolicy policy) {
		return new SteppedTrace(policy, open(policy), this::move, nanosPerTick());
	}

	private void move(long nanos) {
		if (nanos < 0) {
			stepBack(-nanos);
		}
		else {
			advance(nanos);
		}
	}

	@Test
	void whatWasTakenBeforeAStepBackStaysTakenAndIsGivenBackAtMostOnce() {
		RandomCases.check(traces(), (random) -> {
			RateLimitPolicy policy = RandomLimits.policy(random, nanosPerTick(), bits());
			RateLimitStates states = open(policy);
			long permits = 1 + RandomLimits.upTo(random, policy.capacity() - 1);
			RateLimitDecision given = states.decide("key", permits);
			steppedTrace(policy).stepBack(random);
			boolean looksFirst = random.nextBoolean();
			if (looksFirst) {
				assertThat(states.decide("key", 0).remaining()).as("%d permits of %s", permits, policy.limits())
					.isEqualTo(given.remaining());
			}
			states.giveBack("key", permits, given);
			assertThat(states.decide("key", 0).remaining()).as("%d permits of %s", permits, policy.limits())
				.isBetween(given.remaining(), policy.capacity());
			long left = states.decide("key", 0).remaining();
			states.giveBack("key", permits, given);
			assertThat(states.decide("key", 0).remaining()).isBetween(left, policy.capacity());
		});
	}

	@Test
	void answerThatNobodyWaitsForIsTheSame() throws Exception {
		RateLimitStates waiting = open(RateLimitPolicy.of("queue", queue()));
		List<String> expected = new ArrayList<>();
		expected.add(Decisions.describe(waiting.decide("key", 2)));
		expected.add(Decisions.describe(waiting.decideAtOnce("key", 1)));
		RateLimitDecision last = waiting.decide("key", 1);
		waiting.giveBack("key", 1, last);
		expected.add(Decisions.describe(waiting.decide("key", 0)));
		RateLimitStates free = open(RateLimitPolicy.of("queue", queue()));
		List<String> decided = new ArrayList<>();
		decided.add(Decisions.describe(answer(free.decideAsync("key", 2))));
		decided.add(Decisions.describe(answer(free.decideAtOnceAsync("key", 1))));
		RateLimitDecision given = answer(free.decideAsync("key", 1));
		answer(free.giveBackAsync("key", 1, given));
		decided.add(Decisions.describe(answer(free.decideAsync("key", 0))));
		assertThat(decided).isEqualTo(expected);
		assertThat(Decisions.describe(given)).isEqualTo(Decisions.describe(last));
		assertThat(given.delayNanos()).isPositive();
	}

	private static RateLimit queue() {
		return RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(1)
			.window(Duration.ofSeconds(1))
			.burst(5L)
			.delay(1L)
			.build();
	}

	private static <T> T answer(CompletionStage<T> stage) throws Exception {
		return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
	}

	@ParameterizedTest
	@EnumSource
	void ofManyThreadsAsManyPassAsMay(RateLimitAlgorithm algorithm) throws Exception {
		RateLimitStates states = open(RateLimitPolicy.of("crowd", RateLimit.of(algorithm, 20, Duration.ofDays(1)),
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 20, Duration.ofDays(1))));
		long most = Math.min(20, RateLimit.of(algorithm, 20, Duration.ofDays(1)).capacity());
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<Callable<Long>> callers = Collections.nCopies(THREADS, () -> allowed(states));
			long allowed = 0;
			for (Future<Long> caller : threads.invokeAll(callers)) {
				allowed += caller.get();
			}
			assertThat(allowed).isEqualTo(most);
			assertThat(states.decide("key", 0).remaining()).isZero();
		}
		finally {
			threads.shutdown();
		}
	}

	private static long allowed(RateLimitStates states) {
		return IntStream.range(0, 10).filter((request) -> states.decide("key", 1).allowed()).count();
	}

	private RateLimitDecision check(RateLimitStates states, int who, ReferenceModel model, long permits,
			RateLimitPolicy policy) {
		RateLimitDecision decision = states.decide(KEYS[who], permits);
		assertThat(Decisions.describe(decision)).as("%d permits of %s", permits, policy.limits())
			.isEqualTo(model.decide(now() / nanosPerTick(), permits));
		return decision;
	}

}
