package io.github.ratelimit.benchmarks.redis;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The callers, their keys, and the decisions they are to get.
 *
 * @param keys the number of keys, drawn at random
 * @param callers the number of those that ask, each again as soon as it has its answer
 * @param threads whether each is a thread that waits; otherwise they ask without waiting,
 * and what brings an answer asks again
 * @param budget what each key may have
 */
record Situation(int keys, int callers, boolean threads, Budget budget) {

	static final Situation ALONE = new Situation(1, 1, true, Budget.PLENTY);

	static final Situation HOT = new Situation(1, 16, true, Budget.PLENTY);

	static final Situation HOTTEST = new Situation(1, 64, true, Budget.PLENTY);

	static final Situation HOT_LATER = new Situation(1, 16, false, Budget.PLENTY);

	static final Situation HOTTER_LATER = new Situation(1, 64, false, Budget.ENDLESS);

	static final Situation HOTTEST_LATER = new Situation(1, 1000, false, Budget.ENDLESS);

	static final Situation MANY_KEYS = new Situation(1000, 64, true, Budget.SLOW);

	static final Situation MANY_KEYS_LATER = new Situation(1000, 64, false, Budget.SLOW);

	static final Situation REJECTED = new Situation(1, 16, true, Budget.SCARCE);

	static final List<Situation> ALL = List.of(ALONE, HOT, HOTTEST, HOT_LATER, HOTTER_LATER, HOTTEST_LATER, MANY_KEYS,
			MANY_KEYS_LATER, REJECTED);

	/**
	 * Whether all are allowed; otherwise all are rejected.
	 */
	boolean allowed() {
		return this.budget != Budget.SCARCE;
	}

	String title() {
		return "%s, %,d %s%s, %s".formatted((this.keys == 1) ? "one hot key" : "%,d keys".formatted(this.keys),
				this.callers, this.threads ? "thread" : "asynchronous caller", (this.callers == 1) ? "" : "s",
				allowed() ? "allowed" : "rejected");
	}

	Task task(ServerAccess redis) {
		return new Task(redis, this.budget, IntStream.range(0, this.keys).mapToObj((i) -> "client-" + i).toList());
	}

}
