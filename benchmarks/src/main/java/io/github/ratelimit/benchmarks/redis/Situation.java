package io.github.ratelimit.benchmarks.redis;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The callers, their keys, and the decisions they are to get.
 *
 * @param keys the number of keys, drawn at random
 * @param callers the number of threads that ask, each as soon as it has its answer
 * @param allowed whether all are allowed; otherwise all are rejected
 */
record Situation(int keys, int callers, boolean allowed) {

	static final Situation ALONE = new Situation(1, 1, true);

	static final Situation HOT = new Situation(1, 16, true);

	static final Situation HOTTEST = new Situation(1, 64, true);

	static final Situation MANY_KEYS_ALONE = new Situation(10_000, 1, true);

	static final Situation MANY_KEYS = new Situation(10_000, 16, true);

	static final Situation MANY_KEYS_CROWDED = new Situation(10_000, 64, true);

	static final Situation REJECTED = new Situation(1, 16, false);

	static final List<Situation> ALL = List.of(ALONE, HOT, HOTTEST, MANY_KEYS_ALONE, MANY_KEYS, MANY_KEYS_CROWDED,
			REJECTED);

	String title() {
		return "%s, %d caller%s, %s".formatted((this.keys == 1) ? "one hot key" : "%,d keys".formatted(this.keys),
				this.callers, (this.callers == 1) ? "" : "s", this.allowed ? "allowed" : "rejected");
	}

	Task task(ServerAccess redis) {
		Budget budget = !this.allowed ? Budget.SCARCE : (this.keys == 1) ? Budget.PLENTY : Budget.SLOW;
		return new Task(redis, budget, IntStream.range(0, this.keys).mapToObj((i) -> "client-" + i).toList());
	}

}
