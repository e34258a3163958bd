package io.github.ratelimit.advice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Finds the keys that are rejected most among any number of keys, with 128 counters: a
 * key that is not counted takes over the smallest counter, and what that had is its error
 * (Metwally et al., Space-Saving, 2005). Every key with more than one in 128 rejections
 * has a counter.
 */
final class RejectedKeys {

	private static final int COUNTERS = 128;

	private static final int SHOWN = 20;

	private static final int LONGEST_KEY = 128;

	private final UnaryOperator<String> hash;

	private final boolean keepsKeys;

	private final long seed = ThreadLocalRandom.current().nextLong();

	private final ReentrantLock lock = new ReentrantLock();

	private final long[] ids = new long[COUNTERS];

	private final Counter[] counters = new Counter[COUNTERS];

	private int size;

	RejectedKeys(UnaryOperator<String> hash, boolean keepsKeys) {
		this.hash = hash;
		this.keepsKeys = keepsKeys;
	}

	/**
	 * Counts a rejection, unless another thread is counting.
	 */
	void add(String key) {
		long id = id(key);
		if (this.lock.tryLock()) {
			try {
				count(id, key);
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	/* Depends on a random number, so that nobody can choose keys that count as one. */
	private long id(String key) {
		long id = this.seed;
		for (int i = 0; i < key.length(); i++) {
			id = (id ^ key.charAt(i)) * 0x9e3779b97f4a7c15L;
			id ^= id >>> 32;
		}
		return id;
	}

	private void count(long id, String key) {
		int position = find(id);
		if (position == this.size) {
			position = counterOf(id);
		}
		Counter counter = this.counters[position];
		counter.count++;
		// a key that comes once does not buy a cryptographic hash
		if (counter.hash == null && (counter.error == 0 || counter.count - counter.error > 1)) {
			counter.hash = this.hash.apply(key);
			counter.key = this.keepsKeys ? shown(key) : null;
		}
	}

	private int find(long id) {
		int position = 0;
		while (position < this.size && this.ids[position] != id) {
			position++;
		}
		return position;
	}

	private int counterOf(long id) {
		int position = this.size;
		long error = 0;
		if (position < COUNTERS) {
			this.size++;
		}
		else {
			position = smallest();
			error = this.counters[position].count;
		}
		this.ids[position] = id;
		this.counters[position] = new Counter(error);
		return position;
	}

	private int smallest() {
		int smallest = 0;
		for (int i = 1; i < COUNTERS; i++) {
			if (this.counters[i].count < this.counters[smallest].count) {
				smallest = i;
			}
		}
		return smallest;
	}

	private static String shown(String key) {
		return (key.length() > LONGEST_KEY) ? key.substring(0, LONGEST_KEY) : key;
	}

	List<RejectedKey> most() {
		List<RejectedKey> keys = new ArrayList<>();
		this.lock.lock();
		try {
			for (int i = 0; i < this.size; i++) {
				Counter counter = this.counters[i];
				if (counter.hash != null) {
					keys.add(new RejectedKey(counter.key, counter.hash, counter.count, counter.error));
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		keys.sort(Comparator.comparingLong(RejectedKey::rejected).reversed());
		return List.copyOf(keys.subList(0, Math.min(SHOWN, keys.size())));
	}

	private static final class Counter {

		private final long error;

		private long count;

		private @Nullable String hash;

		private @Nullable String key;

		Counter(long error) {
			this.error = error;
			this.count = error;
		}

	}

}
