package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.ExactRate;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.algorithm.WordAlgorithm;

/**
 * The token bucket and the leaky bucket.
 */
final class BucketScript extends LimitScript {

	private static final double MOST_RATE_ERROR = 0.001;

	private final WordAlgorithm algorithm;

	private final RateLimit limit;

	private final ExactRate rate;

	/* How many may pass without a delay, if none is to wait. */
	private final long atOnce;

	BucketScript(RateLimit limit, boolean charged) {
		this(limit, charged, (WordAlgorithm) Algorithm.of(limit, Tick.MICROSECOND, charged), rate(limit, charged),
				limit.capacity());
	}

	private BucketScript(RateLimit limit, boolean charged, WordAlgorithm algorithm, ExactRate rate, long atOnce) {
		super(limit, charged, (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) ? 'T' : 'L',
				limit.delays() ? List.of("meter.lua", "queue.lua") : List.of("meter.lua"));
		this.limit = limit;
		this.algorithm = algorithm;
		this.rate = rate;
		this.atOnce = atOnce;
	}

	private static ExactRate rate(RateLimit limit, boolean charged) {
		ExactRate rate = ExactRate.of(limit, Tick.MICROSECOND, charged);
		double counted = (double) rate.scale() / rate.cost();
		double asked = (double) limit.limit() / micros(limit.window().toNanos());
		if (1 - counted / asked > MOST_RATE_ERROR) {
			throw new InvalidRateLimitException("burst", limit.burst(),
					"is too large to be counted exactly in Redis beside a limit of " + limit.limit() + " per "
							+ limit.window(),
					"Use a smaller burst, or a limit that divides the window's microseconds, such as a round number.");
		}
		return rate;
	}

	@Override
	String full() {
		return "full_n";
	}

	@Override
	List<Long> numbers(long most) {
		long scale = this.rate.scale();
		long cost = this.rate.cost();
		long full = capacity() * cost;
		if (!this.limit.delays()) {
			return List.of(scale, cost, full);
		}
		return List.of(scale, cost, full, this.atOnce * cost);
	}

	@Override
	BucketScript withoutDelays() {
		return this.limit.delays() ? new BucketScript(this.limit, this.charged,
				(WordAlgorithm) this.algorithm.withoutDelays(), this.rate, this.limit.delay() + 1) : this;
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees) {
		return this.algorithm.decision(number(answer), number(answer), now, permits, agrees, null);
	}

	@Override
	long delayNanos(ByteBuffer answer, long now, long permits) {
		ByteBuffer part = answer.duplicate().order(answer.order());
		long base = number(part);
		long word = number(part);
		long taken = this.algorithm.take(base, word, now, permits);
		return (taken != WordAlgorithm.REJECTED)
				? this.algorithm.decision(base, taken, now, permits, true, null).delayNanos() : 0;
	}

}
