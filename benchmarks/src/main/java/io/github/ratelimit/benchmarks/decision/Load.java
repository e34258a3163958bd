package io.github.ratelimit.benchmarks.decision;

import java.util.stream.IntStream;

/**
 * The requests: their keys and permits.
 */
public enum Load {

	/** One key, which always may pass. */
	ALLOWED("one hot key, allowed", 1),

	/** One key, which has nothing left. */
	REJECTED("one hot key, rejected", 1),

	/** Many keys at random, which always may pass. */
	MANY_KEYS("100,000 keys at random", 100_000);

	private final String label;

	private final int keys;

	Load(String label, int keys) {
		this.label = label;
		this.keys = keys;
	}

	String situation(int threads) {
		return this.label + ", " + threads + ((threads == 1) ? " thread" : " threads");
	}

	/**
	 * The keys as addresses of clients.
	 */
	String[] keys() {
		return IntStream.range(0, this.keys)
			.mapToObj((i) -> "203." + (i >> 16 & 255) + "." + (i >> 8 & 255) + "." + (i & 255))
			.toArray(String[]::new);
	}

}
