package io.github.ratelimit.advice;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

import io.github.ratelimit.support.ReadableText;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys that are rejected most among any number of keys, with 128 counters: a
 * key that is not counted takes over the smallest counter, and what that had is its error
 * (Metwally et al., Space-Saving, 2005). Every key with more than one in 128 rejections
 * has a counter.
 */
final class RejectedKeys {

	private static final int COUNTERS = 128;

	private static final int MAX_REPORTED = 20;

	private static final int MAX_SHOWN_LENGTH = 128;

	private final boolean keepsKeys;

	private final long seed = ThreadLocalRandom.current().nextLong();

	private final ReentrantLock lock = new ReentrantLock();

	private final Map<Long, Counter> counters = new HashMap<>();

	RejectedKeys(boolean keepsKeys) {
		this.keepsKeys = keepsKeys;
	}

	/**
	 * Counts a rejection, unless another thread is counting.
	 */
	void add(String key, UnaryOperator<String> hash) {
		long id = ReadableText.hash(key, this.seed);
		if (this.lock.tryLock()) {
			try {
				count(id, key, hash);
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	private void count(long id, String key, UnaryOperator<String> hash) {
		Counter counter = this.counters.get(id);
		if (counter == null) {
			long error = 0;
			if (this.counters.size() >= COUNTERS) {
				error = removeSmallest();
			}
			counter = new Counter(error);
			this.counters.put(id, counter);
		}
		counter.count++;

		// a key that comes once does not buy a cryptographic hash
		if (counter.hash == null && (counter.error == 0 || counter.count - counter.error > 1)) {
			counter.hash = hash.apply(key);
			if (this.keepsKeys) {
				counter.key = key.substring(0, Math.min(MAX_SHOWN_LENGTH, key.length()));
			}
		}
	}

	private long removeSmallest() {
		Counter smallest = Collections.min(this.counters.values(), Comparator.comparingLong((each) -> each.count));
		this.counters.values().remove(smallest);
		return smallest.count;
	}

	List<RejectedKey> most(boolean withKeys) {
		this.lock.lock();
		try {
			return this.counters.values()
				.stream()
				.filter((counter) -> counter.hash != null)
				.map((counter) -> rejectedKey(counter, withKeys))
				.sorted(Comparator.comparingLong(RejectedKey::rejected).reversed())
				.limit(MAX_REPORTED)
				.toList();
		}
		finally {
			this.lock.unlock();
		}
	}

	private static RejectedKey rejectedKey(Counter counter, boolean withKey) {
		String key = withKey ? counter.key : null;
		return new RejectedKey(key, String.valueOf(counter.hash), counter.count, counter.error);
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
