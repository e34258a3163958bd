package io.github.ratelimit.test;

import java.time.Duration;
import java.util.Random;
import java.util.function.LongConsumer;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.RandomLimits;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests of one key while the clock that the store goes by is set back again and again.
 */
final class SteppedTrace {

	private static final int REQUESTS = 30;

	private final RateLimitPolicy policy;

	private final PolicyDecider states;

	private final LongConsumer clock;

	private final long nanosPerTick;

	private long elapsed;

	private long steps;

	private long taken;

	/**
	 * Creates a trace.
	 * @param policy the policy
	 * @param states its states, without any
	 * @param clock moves the clock, back by negative numbers
	 * @param nanosPerTick the tick that it moves by
	 */
	SteppedTrace(RateLimitPolicy policy, PolicyDecider states, LongConsumer clock, long nanosPerTick) {
		this.policy = policy;
		this.states = states;
		this.clock = clock;
		this.nanosPerTick = nanosPerTick;
	}

	/**
	 * Runs requests, of which some refund, and steps back between them, within one window
	 * of the policy's first limit.
	 */
	void run(Random random) {
		RateLimit limit = this.policy.limits().get(0);
		RateLimitDecision last = this.states.decide("key", 0);
		for (int i = 0; i < REQUESTS; i++) {
			long pause = whole(RandomLimits.pause(random, last, limit));
			if (this.elapsed + pause < limit.window().toNanos()) {
				advance(pause);
			}
			if (random.nextInt(4) == 0) {
				stepBack(random);
			}
			long permits = RandomLimits.permits(random, last, this.policy.capacity());
			last = this.states.decide("key", permits);
			if (last.allowed()) {
				this.taken += permits;
				if (permits > 0 && random.nextInt(6) == 0) {
					refund(permits, last);
				}
			}
		}
		assertThat(this.taken).as("%d steps, %s", this.steps, this.policy.limits()).isLessThanOrEqualTo(most());
	}

	private void refund(long permits, RateLimitDecision given) {
		this.states.refund("key", permits, given);
		this.taken -= permits;
	}

	/*
	 * Counters begin a window at a moment by the clock, and so may begin another after
	 * each step. To the others, whatever they have seen, time stands still.
	 */
	private long most() {
		RateLimit first = this.policy.limits().get(0);
		return this.policy.limits().stream().mapToLong((limit) -> switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET ->
				limit.capacity() + (long) Math.ceil((double) this.elapsed / limit.window().toNanos() * limit.limit());
			case SLIDING_WINDOW_LOG -> (limit == first) ? limit.limit() : Long.MAX_VALUE;
			default -> (limit == first) ? 2 * limit.limit() * (1 + this.steps) : Long.MAX_VALUE;
		}).min().orElseThrow();
	}

	/**
	 * Steps back once more and checks that nobody waits for the clock to catch up.
	 */
	void checkIsBlockedNoLongerThanEver(Random random) {
		stepBack(random);
		long asked = 1 + RandomLimits.upTo(random, this.policy.capacity() - 1);
		RateLimitDecision first = this.states.decide("key", asked);
		assertThat(first.resetAfterNanos()).as("%s", this.policy.limits()).isBetween(0L, longestWaitNanos());
		if (!first.allowed() && !countsRejected()) {
			assertThat(first.retryAfterNanos()).isBetween(1L, longestWaitNanos());
			advance(first.retryAfterNanos());
			assertThat(this.states.decide("key", asked).allowed()).as("%d permits of %s", asked, this.policy.limits())
				.isTrue();
		}
		advance(longestWaitNanos());
		assertThat(this.states.decide("key", this.policy.capacity()).allowed()).as("%s", this.policy.limits()).isTrue();
	}

	private boolean countsRejected() {
		return this.policy.limits().stream().anyMatch(RateLimit::countRejected);
	}

	private long longestWaitNanos() {
		return this.policy.limits().stream().mapToLong((limit) -> {
			long window = limit.window().toNanos();
			return switch (limit.algorithm()) {
				case TOKEN_BUCKET, LEAKY_BUCKET ->
					whole((long) Math.ceil((double) window / limit.limit() * limit.capacity()) + 2 * this.nanosPerTick);
				case SLIDING_WINDOW_COUNTER -> 2 * window;
				default -> window;
			};
		}).max().orElseThrow();
	}

	private void advance(long nanos) {
		this.elapsed += nanos;
		this.clock.accept(nanos);
	}

	/**
	 * Steps back by next to nothing, by about a window, or by up to a year.
	 */
	void stepBack(Random random) {
		long most = random.nextBoolean() ? 3 * this.policy.limits().get(0).window().toNanos()
				: Duration.ofDays(366).toNanos();
		this.steps++;
		this.clock.accept(-whole(RandomLimits.upTo(random, most)) - this.nanosPerTick);
	}

	private long whole(long nanos) {
		return nanos / this.nanosPerTick * this.nanosPerTick;
	}

}
