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
 * What is kept of one policy's keys: bounded in number, and counted in bytes in a budget
 * that it shares with others.
 * <p>
 * The bytes of each key are counted when it comes, grows and goes, which whoever finds a
 * key that is there knows nothing of.
 *
 * @param <V> what is kept of a key
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
	 * @param memory what all may take together
	 * @param weight says how many bytes a key takes
	 * @param whenEvicted is told of a key that goes for want of room, inside the map's
	 * operation on it
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
	 * The keys. Whoever adds to it counts the bytes inside of the map's operation, and
	 * makes room after it; whoever removes counts, too.
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
	 * Counts a key that is about to come.
	 */
	void added(String key, V value) {
		count(this.weight.applyAsLong(key, value));
	}

	/**
	 * Counts a key that is about to go.
	 */
	void removed(String key, V value) {
		count(-this.weight.applyAsLong(key, value));
	}

	/**
	 * Makes room if there is none. Not inside a map's operation on a key.
	 * @param except a key that must stay, because it is being enlarged, or {@code null}
	 */
	void makeRoom(@Nullable String except) {
		if (this.memory.isScarce()) {
			watchUse();
			this.memory.trim(except);
		}
	}

	/*
	 * A cache that is not half full does not note which keys are asked for, because it
	 * need not choose among them. For a moment it is told that it is.
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
	 * Forgets the keys that are least likely to be asked for again, some at a time. Not
	 * inside a map's operation on a key.
	 * @param bytes how many bytes are enough
	 * @param except a key that must stay, or {@code null}
	 * @return whether any was forgotten
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
