package io.github.ratelimit.enforce;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts for each constant of an enumeration, by its ordinal.
 */
final class Counters {

	private Counters() {
	}

	static LongAdder[] of(Enum<?>[] constants) {
		LongAdder[] counters = new LongAdder[constants.length];
		for (int i = 0; i < counters.length; i++) {
			counters[i] = new LongAdder();
		}
		return counters;
	}

}
