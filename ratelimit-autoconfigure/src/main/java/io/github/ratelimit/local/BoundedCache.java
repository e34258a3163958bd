package io.github.ratelimit.local;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.ToLongBiFunction;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy.Eviction;
import com.github.benmanes.caffeine.cache.RemovalCause;
import org.jspecify.annotations.Nullable;

/**
 * A cache of one policy's keys that is bounded in number, and counts its bytes in a
 * budget that it shares with other caches.
 * <p>
 * The bytes of a key are counted when it is added, grows and is removed, so that finding
 * a key costs nothing more.
 *
 * @param <V> the type of a key's value
 */
final class BoundedCache<V> {

	private static final int EVICTED_AT_ONCE = 64;

	private final AtomicLong bytes = new AtomicLong();

	private final Cache<String, V> cache;

	private final MemoryBudget memory;

	private final long maximumSize;

	private final ToLongBiFunction<String, V> weight;

	private final BiConsumer<String, V> whenEvicted;

	private volatile long watchedSize;

	/**
	 * Creates an empty cache.
	 * @param maximumSize how many keys to keep
	 * @param memory the budget of all caches
	 * @param weight computes how many bytes a key takes
	 * @param whenEvicted called with each key that is evicted, inside the map's operation
	 * on it
	 */
	BoundedCache(long maximumSize, MemoryBudget memory, ToLongBiFunction<String, V> weight,
			BiConsumer<String, V> whenEvicted) {
		this.memory = memory;
		this.maximumSize = maximumSize;
		this.weight = weight;
		this.whenEvicted = whenEvicted;
		this.cache = Caffeine.newBuilder()
			.maximumSize(maximumSize)
			.executor(Runnable::run)
			.evictionListener(this::onEviction)
			.build();
		memory.add(this);
	}

	/**
	 * The keys. A caller that adds a key calls {@link #added} inside the map's operation
	 * and {@link #makeRoom} after it; one that removes a key calls {@link #removed}.
	 */
	Cache<String, V> cache() {
		return this.cache;
	}

	ConcurrentMap<String, V> map() {
		return this.cache.asMap();
	}

	void count(long bytes) {
		this.bytes.addAndGet(bytes);
		this.memory.count(bytes);
	}

	/**
	 * Counts a key that is about to be added.
	 */
	void added(String key, V value) {
		count(this.weight.applyAsLong(key, value));
	}

	/**
	 * Counts a key that is about to be removed.
	 */
	void removed(String key, V value) {
		count(-this.weight.applyAsLong(key, value));
	}

	/**
	 * Makes room if there is none. Must not be called inside a map's operation on a key.
	 * @param except a key that must stay, because it is being enlarged, or {@code null}
	 */
	void makeRoom(@Nullable String except) {
		if (this.memory.isScarce()) {
			watchUse();
			this.memory.trim(except);
		}
	}

	/*
	 * A cache that is less than half full does not record which keys are used, because it
	 * need not choose among them. A smaller maximum, for a moment, makes it start.
	 */
	private void watchUse() {
		long size = this.cache.estimatedSize();
		if (size > 2 * this.watchedSize) {
			this.watchedSize = size;
			Eviction<String, V> eviction = eviction();
			eviction.setMaximum(Math.min(this.maximumSize, size + size / 2));
			eviction.setMaximum(this.maximumSize);
		}
	}

	private Eviction<String, V> eviction() {
		return this.cache.policy().eviction().orElseThrow();
	}

	/**
	 * How many bytes the keys take.
	 */
	long bytes() {
		return this.bytes.get();
	}

	private void onEviction(@Nullable String key, @Nullable V value, RemovalCause cause) {
		if (key != null && value != null) {
			evict(key, value);
		}
	}

	private void evict(String key, V value) {
		this.whenEvicted.accept(key, value);
		removed(key, value);
	}

	/**
	 * Evicts the keys that are least likely to be used again, some at a time. Must not be
	 * called inside a map's operation on a key.
	 * @param bytes how many bytes are enough
	 * @param except a key that must stay, or {@code null}
	 * @return whether any key was evicted
	 */
	boolean evictColdest(long bytes, @Nullable String except) {
		long before = bytes();
		boolean evicted = false;
		for (String key : eviction().coldest(EVICTED_AT_ONCE).keySet()) {
			if (before - bytes() >= bytes) {
				return true;
			}
			if (!key.equals(except)) {
				map().computeIfPresent(key, (same, value) -> {
					evict(same, value);
					return null;
				});
				evicted = true;
			}
		}
		return evicted;
	}

}
