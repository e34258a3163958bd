package io.github.ratelimit.benchmarks.http.server;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * The five fields that we send, as texts with numbers that change.
 */
final class FieldsByHand {

	private static final long LIMIT = 1_000_000_000;

	private static final long SECONDS = 86_400;

	private final AtomicLong remaining = new AtomicLong(LIMIT);

	private final long start = System.nanoTime();

	/**
	 * Sets the fields of one response.
	 * @param setter sets a field
	 */
	void set(BiConsumer<String, String> setter) {
		set(setter, this.remaining.decrementAndGet());
	}

	/**
	 * Sets the fields of one response.
	 * @param setter sets a field
	 * @param remaining how many more requests are allowed
	 */
	void set(BiConsumer<String, String> setter, long remaining) {
		long reset = SECONDS - (System.nanoTime() - this.start) / 1_000_000_000;
		setter.accept("RateLimit-Policy", "\"hello\";q=" + LIMIT + ";w=" + SECONDS);
		setter.accept("RateLimit", "\"hello\";r=" + remaining + ";t=" + reset);
		setter.accept("X-RateLimit-Limit", Long.toString(LIMIT));
		setter.accept("X-RateLimit-Remaining", Long.toString(remaining));
		setter.accept("X-RateLimit-Reset", Long.toString(reset));
	}

}
