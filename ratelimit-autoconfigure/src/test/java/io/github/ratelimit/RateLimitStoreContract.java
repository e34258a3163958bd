package io.github.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.reference.ReferenceModel;
import io.github.ratelimit.store.RateLimitStates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every store must say, decision for decision: the worked examples, and what the
 * plain models say of random traces.
 */
public abstract class RateLimitStoreContract {

	private static final int STEPS = 40;

	private static final String[] KEYS = { "alice", "bob" };

	/**
	 * Opens a policy in a store without any state of it.
	 * @param policy the policy
	 * @return its states
	 */
	protected abstract RateLimitStates open(RateLimitPolicy policy);

	/**
	 * Reads the store's time.
	 * @return nanoseconds since the epoch, whole ticks
	 */
	protected abstract long now();

	/**
	 * Moves the store's time.
	 * @param nanos how far forward, whole ticks
	 */
	protected abstract void advance(long nanos);

	/**
	 * Sets the clock back that the store goes by.
	 * @param nanos how far, whole ticks
	 */
	protected abstract void stepBack(long nanos);

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
	@MethodSource("io.github.ratelimit.WorkedExample#all")
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

	private RateLimitDecision check(RateLimitStates states, int who, ReferenceModel model, long permits,
			RateLimitPolicy policy) {
		RateLimitDecision decision = states.decide(KEYS[who], permits);
		assertThat(Decisions.describe(decision)).as("%d permits of %s", permits, policy.limits())
			.isEqualTo(model.decide(now() / nanosPerTick(), permits));
		return decision;
	}

}
