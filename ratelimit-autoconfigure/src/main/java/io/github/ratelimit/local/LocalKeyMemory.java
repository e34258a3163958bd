package io.github.ratelimit.local;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Policy;
import io.github.ratelimit.store.KeyMemory;
import org.jspecify.annotations.Nullable;

/**
 * A memory of keys within the bytes that all keys of this process have together.
 *
 * @param <V> the type of a key's value
 */
final class LocalKeyMemory<V> implements KeyMemory<V> {

	/*
	 * Recording the use of a key costs more than finding it. A sample is enough to tell
	 * which keys are used often, and a new key is always recorded.
	 */
	private static final int RECORDED_PART = 16;

	private final BoundedCache<V> bounded;

	private final Cache<String, V> cache;

	private final Policy<String, V> quiet;

	LocalKeyMemory(long maximumSize, MemoryBudget memory, long bytesOfValue) {
		this.bounded = new BoundedCache<>(maximumSize, memory,
				(key, value) -> KeyWeight.ofEntry(key.length()) + bytesOfValue, (key, value) -> {
				});
		this.cache = this.bounded.cache();
		this.quiet = this.cache.policy();
	}

	@Override
	public @Nullable V find(String key) {
		return (ThreadLocalRandom.current().nextInt(RECORDED_PART) == 0) ? this.cache.getIfPresent(key)
				: this.quiet.getIfPresentQuietly(key);
	}

	@Override
	public V findOrAdd(String key, Supplier<? extends V> first) {
		V value = this.cache.getIfPresent(key);
		return (value != null) ? value : add(key, first);
	}

	private V add(String key, Supplier<? extends V> first) {
		V added = this.cache.get(key, (absent) -> {
			V value = first.get();
			this.bounded.added(absent, value);
			return value;
		});
		this.bounded.makeRoom(null);
		return added;
	}

}
