package io.github.ratelimit.policy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Counts any number of keys with 128 counters: a key that is not counted takes over the
 * smallest counter, and what that had is its error (Metwally et al., Space-Saving, 2005).
 * Every key with more than one in 128 of all has a counter. The counters are a heap with
 * the smallest first, so that neither counting nor taking over looks at all of them.
 */
final class KeyCounters {

	private static final int SIZE = 128;

	private static final Comparator<Counter> SMALLEST_FIRST = Comparator.comparingLong((each) -> each.count);

	/* A map of texts stays fast, whatever their hash codes are. */
	private final Map<String, Counter> byKey = new HashMap<>();

	private final List<Counter> heap = new ArrayList<>(0);

	/**
	 * Counts a key.
	 * @param key the key
	 * @param now when, nanoseconds since the epoch
	 */
	void add(String key, long now) {
		Counter counter = this.byKey.get(key);
		if (counter == null) {
			counter = begin(key, now);
		}
		counter.count++;
		counter.last = now;
		sink(counter);
	}

	private Counter begin(String key, long now) {
		if (this.heap.size() < SIZE) {
			Counter added = new Counter(key, 0, 0, now, now);
			append(added);
			rise(added);
			return added;
		}

		Counter smallest = this.heap.get(0);
		this.byKey.remove(smallest.key);
		smallest.key = key;
		smallest.error = smallest.count;
		smallest.first = now;
		this.byKey.put(key, smallest);
		return smallest;
	}

	private void append(Counter counter) {
		counter.position = this.heap.size();
		this.heap.add(counter);
		this.byKey.put(counter.key, counter);
	}

	private void rise(Counter counter) {
		while (counter.position > 0) {
			Counter parent = this.heap.get((counter.position - 1) / 2);
			if (parent.count <= counter.count) {
				return;
			}
			swap(counter, parent);
		}
	}

	private void sink(Counter counter) {
		for (int child = 2 * counter.position + 1; child < this.heap.size(); child = 2 * counter.position + 1) {
			Counter smaller = this.heap.get(child);
			if (child + 1 < this.heap.size() && this.heap.get(child + 1).count < smaller.count) {
				smaller = this.heap.get(child + 1);
			}
			if (smaller.count >= counter.count) {
				return;
			}
			swap(counter, smaller);
		}
	}

	private void swap(Counter one, Counter other) {
		int position = one.position;
		one.position = other.position;
		other.position = position;
		this.heap.set(one.position, one);
		this.heap.set(other.position, other);
	}

	/**
	 * Adds up what was counted at different times. What a key may have been counted that
	 * has no counter is its error (Agarwal et al., Mergeable Summaries, 2012).
	 * @return the sum, which does not change with its parts
	 */
	static KeyCounters sum(KeyCounters one, KeyCounters other) {
		KeyCounters sum = new KeyCounters();
		Stream.concat(one.keys(), other.keys())
			.distinct()
			.map((key) -> one.find(key).plus(other.find(key)))
			.sorted(SMALLEST_FIRST.reversed())
			.limit(SIZE)
			.sorted(SMALLEST_FIRST)
			.forEach(sum::append);
		return sum;
	}

	Stream<String> keys() {
		return this.byKey.keySet().stream();
	}

	private Counter find(String key) {
		Counter counter = this.byKey.get(key);
		if (counter != null) {
			return counter;
		}
		long most = 0;
		if (this.heap.size() == SIZE) {
			most = this.heap.get(0).count;
		}
		return new Counter(key, most, most, Long.MAX_VALUE, Long.MIN_VALUE);
	}

	/**
	 * The keys that were counted most. Those that may have been counted only once, and
	 * have taken over a counter, are left out.
	 * @param limit how many keys to give at most
	 * @return the keys, most counted first
	 */
	List<RejectedKey> most(int limit) {
		return this.heap.stream()
			.filter((counter) -> counter.error == 0 || counter.count - counter.error > 1)
			.sorted(SMALLEST_FIRST.reversed())
			.limit(limit)
			.map(Counter::describe)
			.toList();
	}

	/**
	 * Counts one key.
	 */
	private static final class Counter {

		private String key;

		private long count;

		private long error;

		private long first;

		private long last;

		private int position;

		Counter(String key, long count, long error, long first, long last) {
			this.key = key;
			this.count = count;
			this.error = error;
			this.first = first;
			this.last = last;
		}

		Counter plus(Counter other) {
			return new Counter(this.key, this.count + other.count, this.error + other.error,
					Math.min(this.first, other.first), Math.max(this.last, other.last));
		}

		RejectedKey describe() {
			return new RejectedKey(this.key, RejectionLog.hash(this.key), this.count, this.error,
					Instant.EPOCH.plusNanos(this.first), Instant.EPOCH.plusNanos(this.last));
		}

	}

}
