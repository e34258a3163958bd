package io.github.ratelimit.policy;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts each constant of an enumeration.
 */
final class Counts<E extends Enum<E>> {

	private final LongAdder[] counts;

	Counts(E[] constants) {
		this.counts = new LongAdder[constants.length];
		for (int i = 0; i < this.counts.length; i++) {
			this.counts[i] = new LongAdder();
		}
	}

	void add(E constant) {
		this.counts[constant.ordinal()].increment();
	}

	long of(E constant) {
		return this.counts[constant.ordinal()].sum();
	}

}
