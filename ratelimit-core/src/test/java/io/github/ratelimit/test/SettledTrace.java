package io.github.ratelimit.test;

import java.util.Random;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomLimits;
import io.github.ratelimit.test.model.ReferenceModel;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests of one key that are settled some time after each has come, beside the model.
 */
final class SettledTrace {

	private static final int REQUESTS = 20;

	private final RateLimitPolicy policy;

	private final PolicyDecider states;

	private final LongSupplier clock;

	private final LongConsumer advance;

	private final long nanosPerTick;

	private final ReferenceModel model;

	/**
	 * Creates a trace.
	 * @param policy a policy that is charged by outcome
	 * @param store opens it
	 * @param clock the time that the store goes by
	 * @param advance moves that time
	 * @param nanosPerTick the tick that it moves by
	 */
	SettledTrace(RateLimitPolicy policy, Function<RateLimitPolicy, PolicyDecider> store, LongSupplier clock,
			LongConsumer advance, long nanosPerTick) {
		this.policy = policy;
		this.states = store.apply(policy);
		this.clock = clock;
		this.advance = advance;
		this.nanosPerTick = nanosPerTick;
		this.model = new ReferenceModel(policy, nanosPerTick);
	}

	/**
	 * Runs requests and settles them.
	 * @param random the random numbers
	 * @param debts whether requests may use more than they were given
	 */
	void run(Random random, boolean debts) {
		RateLimitDecision last = check(0);
		for (int i = 0; i < REQUESTS; i++) {
			RateLimit limit = this.policy.limits().get(random.nextInt(this.policy.limits().size()));
			pause(random, last, limit);
			long permits = RandomLimits.permits(random, last, this.policy.capacity());
			last = check(permits);
			if (last.allowed() && permits > 0) {
				pause(random, last, limit);
				long used = RandomLimits.upTo(random, debts ? 3 * limit.capacity() : permits);
				this.states.settle("key", permits, used, last);
				this.model.settleLast(this.clock.getAsLong() / this.nanosPerTick, used);
				last = check(0);
			}
		}
	}

	private RateLimitDecision check(long permits) {
		RateLimitDecision decision = this.states.decide("key", permits);
		assertThat(Decisions.describe(decision)).as("%d permits of %s", permits, this.policy)
			.isEqualTo(this.model.decide(this.clock.getAsLong() / this.nanosPerTick, permits));
		return decision;
	}

	private void pause(Random random, RateLimitDecision last, RateLimit limit) {
		this.advance.accept(RandomLimits.pause(random, last, limit) / this.nanosPerTick * this.nanosPerTick);
	}

}
