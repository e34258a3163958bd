package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

/**
 * One limit's part in its policy's scripts: the file that decides on it, the numbers that
 * are written into it, and what its answer says.
 */
abstract class LimitScript {

	private static final long NANOS_PER_MICRO = 1000;

	private final long capacity;

	LimitScript(RateLimit limit) {
		this.capacity = limit.capacity();
	}

	static LimitScript of(RateLimit limit) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> new BucketScript(limit);
			case FIXED_WINDOW_COUNTER -> new FixedWindowScript(limit);
			case SLIDING_WINDOW_COUNTER -> new SlidingWindowScript(limit);
			case SLIDING_WINDOW_LOG -> new LogScript(limit);
		};
	}

	/**
	 * The name of the file.
	 */
	abstract String file();

	/**
	 * The letter that the limit's stored state begins with.
	 */
	abstract char kind();

	/**
	 * The algorithm's own numbers, by their names in the file.
	 */
	abstract Map<String, Long> numbers();

	/**
	 * Whether the limit keeps a log, which is a key of its own.
	 */
	boolean keepsLog() {
		return false;
	}

	final long capacity() {
		return this.capacity;
	}

	/**
	 * Reads a decision.
	 * @param answer where the limit's part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits the request cost, 0 for a look
	 * @param agrees whether the limit lets the request pass
	 */
	abstract RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees);

	static long number(ByteBuffer answer) {
		return (long) answer.getDouble();
	}

	static long micros(long nanos) {
		return nanos / NANOS_PER_MICRO;
	}

	static long nanos(long micros) {
		return micros * NANOS_PER_MICRO;
	}

}
