package io.github.ratelimit.algorithm;

import java.util.Random;
import java.util.function.LongConsumer;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomLimits;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key with a random past, of a limit of any shape.
 */
final class Situation {

	static final long EPOCH = 1_772_668_800_000_000_000L;

	final Random random;

	final RateLimit limit;

	final Tick resolution;

	final OneKey key;

	long now;

	private Situation(Random random, RateLimit limit, boolean charged) {
		this.random = random;
		this.limit = limit;
		this.resolution = Tick.values()[random.nextInt(2)];
		this.now = ticks(EPOCH) + RandomLimits.upTo(random, 3 * window());
		this.key = new OneKey(Algorithm.of(limit, this.resolution, charged), this.now);
		RateLimitDecision last = this.key.look(this.now);
		for (int i = random.nextInt(12); i > 0; i--) {
			long permits = RandomLimits.permits(random, last, limit.capacity());
			if (charged && permits > 0 && random.nextInt(5) == 0) {
				this.key.charge(this.now, permits);
			}
			last = this.key.decide(this.now, permits);
			pause(last);
		}
	}

	static Situation of(Random random, RateLimitAlgorithm algorithm) {
		return new Situation(random, RandomLimits.any(random, algorithm), false);
	}

	/**
	 * The key may have debts.
	 */
	static Situation charged(Random random, RateLimitAlgorithm algorithm) {
		while (true) {
			RateLimit limit = RandomLimits.any(random, algorithm);
			if (!limit.delays()) {
				return new Situation(random, limit, true);
			}
		}
	}

	void pause(RateLimitDecision last) {
		this.now += ticks(RandomLimits.pause(this.random, last, this.limit));
	}

	long ticks(long nanos) {
		return nanos / this.resolution.nanosPerTick();
	}

	long window() {
		return ticks(this.limit.window().toNanos());
	}

	/**
	 * Checks moments before one: the first, the last, and some between.
	 */
	void before(long ticks, LongConsumer check) {
		if (ticks > 0) {
			check.accept(0);
			check.accept(ticks - 1);
			for (int i = 0; i < 5; i++) {
				check.accept((long) (this.random.nextDouble() * ticks));
			}
		}
	}

	/**
	 * Checks that a key answers as another does from now on.
	 */
	void assertSame(OneKey key, OneKey expected) {
		RateLimitDecision last = expected.look(this.now);
		for (int i = 0; i < 10; i++) {
			long permits = (i == 0) ? 0 : RandomLimits.permits(this.random, last, this.limit.capacity());
			last = expected.decide(this.now, permits);
			assertThat(Decisions.describe(key.decide(this.now, permits))).as("%s", this)
				.isEqualTo(Decisions.describe(last));
			pause(last);
		}
	}

	@Override
	public String toString() {
		return this.limit + ", " + this.resolution;
	}

}
