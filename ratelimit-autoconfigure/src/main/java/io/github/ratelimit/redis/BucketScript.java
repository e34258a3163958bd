package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Pace;
import io.github.ratelimit.algorithm.Resolution;
import io.github.ratelimit.algorithm.WordAlgorithm;

/**
 * The token bucket and the leaky bucket.
 */
final class BucketScript extends LimitScript {

	private static final double MOST_RATE_ERROR = 0.001;

	private static final long MOST_UNITS = 1L << 52;

	private final WordAlgorithm algorithm;

	private final RateLimit limit;

	private final Pace pace;

	BucketScript(RateLimit limit) {
		super(limit);
		this.limit = limit;
		this.algorithm = (WordAlgorithm) Algorithm.of(limit, Resolution.MICROSECOND);
		this.pace = pace(limit);
	}

	private static Pace pace(RateLimit limit) {
		Pace pace = Pace.of(limit, Resolution.MICROSECOND);
		double rate = (double) pace.scale() / pace.cost();
		double asked = (double) limit.limit() / micros(limit.window().toNanos());
		if (1 - rate / asked > MOST_RATE_ERROR) {
			throw new InvalidRateLimitException("burst", limit.burst(),
					"is too large to be counted exactly in Redis beside a limit of " + limit.limit() + " per "
							+ limit.window(),
					"Use a smaller burst, or a limit that divides the window's microseconds, such as a round number.");
		}
		return pace;
	}

	@Override
	String file() {
		return "meter.lua";
	}

	@Override
	char kind() {
		return (this.limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) ? 'T' : 'L';
	}

	@Override
	Map<String, Long> numbers() {
		long full = capacity() * this.pace.cost();
		long horizon = MOST_UNITS / this.pace.scale();
		long ticksToDrain = (full + this.pace.scale() - 1) / this.pace.scale();
		return Map.of("SCALE", this.pace.scale(), "COST", this.pace.cost(), "FULL", full, "HORIZON", horizon, "LAST",
				horizon + ticksToDrain, "QUEUE", this.limit.delays() ? 1L : 0L);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees) {
		return this.algorithm.decision(number(answer), number(answer), now, permits, agrees);
	}

}
