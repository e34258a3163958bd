package io.github.ratelimit.local;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the keys of all policies together within a number of bytes.
 * <p>
 * Where there is no room, the policy that holds most evicts the keys that are least
 * likely to be used again. Therefore a flood of one policy evicts that policy's own keys,
 * and a policy that holds less than an equal share loses none.
 */
final class MemoryBudget {

	/* Evicting makes room for more than one key at a time. */
	private static final long MOST_SLACK = 64 << 10;

	private static final int SLACK_PART = 64;

	private final AtomicLong used = new AtomicLong();

	private final List<BoundedCache<?>> all = new CopyOnWriteArrayList<>();

	private final ReentrantLock evicting = new ReentrantLock();

	private final long maximum;

	/**
	 * Creates an unused budget.
	 * @param maximum how many bytes all keys may take together
	 */
	MemoryBudget(long maximum) {
		this.maximum = maximum;
	}

	long maximum() {
		return this.maximum;
	}

	long used() {
		return this.used.get();
	}

	void add(BoundedCache<?> cache) {
		this.all.add(cache);
	}

	/**
	 * Counts bytes that are taken or, if negative, free again. May be called inside a
	 * map's operation; a caller that takes bytes calls {@link #trim} after it.
	 */
	void count(long bytes) {
		this.used.addAndGet(bytes);
	}

	/**
	 * Whether so much is used that keys may soon be evicted.
	 */
	boolean isScarce() {
		return this.used.get() > this.maximum / 2;
	}

	/**
	 * Makes room if more than the maximum is used, and waits until there is. Must not be
	 * called inside a map's operation on a key.
	 * @param except a key that must stay, because it is being enlarged, or {@code null}
	 */
	void trim(@Nullable String except) {
		if (this.used.get() <= this.maximum) {
			return;
		}
		this.evicting.lock();
		try {
			long goal = this.maximum - Math.min(MOST_SLACK, this.maximum / SLACK_PART);
			long excess = (this.used.get() > this.maximum) ? this.used.get() - goal : 0;
			while (excess > 0 && evict(excess, except)) {
				excess = this.used.get() - goal;
			}
		}
		finally {
			this.evicting.unlock();
		}
	}

	private boolean evict(long bytes, @Nullable String except) {
		return this.all.stream()
			.sorted(Comparator.<BoundedCache<?>>comparingLong(BoundedCache::bytes).reversed())
			.anyMatch((cache) -> cache.evictColdest(bytes, except));
	}

}
