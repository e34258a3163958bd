package io.github.ratelimit.enforce;

import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Counts for each constant of an enumeration, by its ordinal.
 */
final class Counters {

	private Counters() {
	}

	static LongAdder[] of(Enum<?>[] constants) {
		return Stream.generate(LongAdder::new).limit(constants.length).toArray(LongAdder[]::new);
	}

}
