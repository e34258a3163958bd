package io.github.ratelimit.local;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.Policy.Eviction;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
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
abstract class BoundedCache<V> implements KeyMemory<V>, MemoryBudget.Holder {

	private static final int EVICTED_AT_ONCE = 64;

	/*
	 * Recording the use of a key costs more than finding it. A sample is enough to tell
	 * which keys are used often, and a new key is always recorded.
	 */
	private static final int RECORDED_PART = 16;

	private final AtomicLong bytes = new AtomicLong();

	final Cache<String, V> cache;

	private final Policy<String, V> quiet;

	final MemoryBudget memory;

	private final long maximumSize;

	private volatile long watchedSize;

	/**
	 * Creates an empty cache.
	 * @param maximumSize how many keys to keep
	 * @param memory the budget of all caches
	 */
	BoundedCache(long maximumSize, MemoryBudget memory) {
		this.memory = memory;
		this.maximumSize = maximumSize;
		this.cache = Caffeine.newBuilder()
			.maximumSize(maximumSize)
			.executor(Runnable::run)
			.evictionListener(this::evicted)
			.build();
		this.quiet = this.cache.policy();
		memory.add(this);
	}

	/**
	 * Returns how many bytes of the heap a key takes with its value.
	 */
	abstract long bytesOf(String key, V value);

	/**
	 * Called with a value that is evicted, inside the map's operation on its key.
	 */
	void onEviction(V value) {
	}

	/**
	 * Returns a view for looking up keys, which only {@link #findOrAdd} and
	 * {@link #compute} change.
	 */
	final ConcurrentMap<String, V> map() {
		return this.cache.asMap();
	}

	@Override
	public final @Nullable V find(String key) {
		boolean recorded = ThreadLocalRandom.current().nextInt(RECORDED_PART) == 0;
		if (recorded) {
			return this.cache.getIfPresent(key);
		}
		return this.quiet.getIfPresentQuietly(key);
	}

	@Override
	public final V findOrAdd(String key, Supplier<? extends V> first) {
		V found = this.cache.getIfPresent(key);
		if (found != null) {
			return found;
		}
		return add(key, first);
	}

	/**
	 * Adds a key that was not found, unless another thread does, and makes room.
	 * @return the value that is there
	 */
	final V add(String key, Supplier<? extends V> first) {
		V value = this.cache.get(key, (absent) -> {
			V added = first.get();
			count(bytesOf(absent, added));
			return added;
		});
		makeRoom(null);
		return value;
	}

	/**
	 * Replaces a key's value inside the map's operation on it. A caller that adds a key
	 * calls {@link #makeRoom} afterwards.
	 * @param change is given the value, {@code null} if there is none, and answers with
	 * the next, {@code null} for none
	 * @return the next value
	 */
	final @Nullable V compute(String key, Function<@Nullable V, ? extends @Nullable V> change) {
		return map().compute(key, (same, value) -> {
			V next = change.apply(value);
			// a value that stays counts by itself how it grows, also between two looks at
			// it
			if (next != value) {
				count(weight(same, next) - weight(same, value));
			}
			return next;
		});
	}

	private long weight(String key, @Nullable V value) {
		return (value != null) ? bytesOf(key, value) : 0;
	}

	/**
	 * Counts bytes by which a value has grown.
	 */
	final void count(long bytes) {
		this.bytes.addAndGet(bytes);
		this.memory.count(bytes);
	}

	/**
	 * Makes room if there is none. Must not be called inside a map's operation on a key.
	 * @param except a key that must stay, because it is being enlarged, or {@code null}
	 */
	final void makeRoom(@Nullable String except) {
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
		return this.quiet.eviction().orElseThrow();
	}

	@Override
	public final long bytes() {
		return this.bytes.get();
	}

	private void evicted(@Nullable String key, @Nullable V value, RemovalCause cause) {
		if (key != null && value != null) {
			onEviction(value);
			count(-bytesOf(key, value));
		}
	}

	@Override
	public final boolean evict(long toFree, @Nullable String except) {
		long before = bytes();
		boolean evicted = false;
		for (String key : eviction().coldest(EVICTED_AT_ONCE).keySet()) {
			if (before - bytes() >= toFree) {
				return true;
			}

			if (!key.equals(except)) {
				compute(key, this::forget);
				evicted = true;
			}
		}
		return evicted;
	}

	private @Nullable V forget(@Nullable V value) {
		if (value != null) {
			onEviction(value);
		}
		return null;
	}

}
