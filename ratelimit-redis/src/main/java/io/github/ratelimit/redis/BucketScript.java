package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
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
 * The part of a token bucket or a leaky bucket.
 */
final class BucketScript extends LimitScript {

	private static final double MAX_RATE_ERROR = 0.001;

	private final WordAlgorithm algorithm;

	private final WordAlgorithm withoutDelays;

	private final ExactRate rate;

	/* The time in microseconds whose permits can be reserved. */
	private final long maxWait;

	BucketScript(RateLimit limit, boolean charged) {
		this(limit, charged, Duration.ZERO, files(limit),
				(WordAlgorithm) Algorithm.of(limit, Tick.MICROSECOND, charged));
	}

	BucketScript(RateLimit limit, Duration maxWait) {
		this(limit, false, maxWait, List.of("meter.lua", "queue.lua", "reserving-bucket.lua"),
				(WordAlgorithm) Algorithm.reserving(limit, Tick.MICROSECOND, maxWait));
	}

	private BucketScript(RateLimit limit, boolean charged, Duration maxWait, List<String> files,
			WordAlgorithm algorithm) {
		super(limit, charged, kind(limit), files);
		this.algorithm = algorithm;
		this.withoutDelays = (WordAlgorithm) algorithm.withoutDelays();
		this.rate = rate(limit, charged, maxWait);
		this.maxWait = micros(maxWait.toNanos());
	}

	private static Kind kind(RateLimit limit) {
		if (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) {
			return Kind.TOKEN_BUCKET;
		}
		return Kind.LEAKY_BUCKET;
	}

	private static List<String> files(RateLimit limit) {
		if (limit.delays()) {
			return List.of("meter.lua", "queue.lua");
		}
		return List.of("meter.lua");
	}

	private static ExactRate rate(RateLimit limit, boolean charged, Duration maxWait) {
		ExactRate rate = ExactRate.of(limit, Tick.MICROSECOND, charged, maxWait);
		double counted = (double) rate.scale() / rate.cost();
		double asked = (double) limit.limit() / micros(limit.window().toNanos());
		if (1 - counted / asked > MAX_RATE_ERROR) {
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
	List<Long> numbers(long most, boolean withoutDelay) {
		long scale = this.rate.scale();
		long cost = this.rate.cost();
		long full = this.capacity * cost;
		if (this.maxWait > 0) {
			return reservingNumbers(withoutDelay);
		}
		if (!this.limit.delays()) {
			return List.of(scale, cost, full);
		}

		long admitted = full;
		if (withoutDelay) {
			admitted = (this.limit.delay() + 1) * cost;
		}
		return List.of(scale, cost, full, admitted);
	}

	private List<Long> reservingNumbers(boolean withoutDelay) {
		long scale = this.rate.scale();
		long cost = this.rate.cost();
		long atOnce = this.capacity * cost;
		long reserved = atOnce + this.maxWait * scale;
		if (withoutDelay) {
			return List.of(scale, cost, reserved, atOnce, this.capacity);
		}
		return List.of(scale, cost, reserved, reserved, this.capacity);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay) {
		WordAlgorithm algorithm = withoutDelay ? this.withoutDelays : this.algorithm;
		long base = readNumber(answer);
		long word = readNumber(answer) - behind * this.rate.cost();
		return algorithm.decision(base, word, now, permits, agrees, null);
	}

	@Override
	long delayNanos(ByteBuffer answer, long now, long permits) {
		ByteBuffer part = answer.duplicate().order(answer.order());
		long base = readNumber(part);
		return delayNanos(this.algorithm, base, readNumber(part), now, permits);
	}

}
