package io.github.ratelimit.local;

import java.util.function.Supplier;

import io.github.ratelimit.KeyMemory;
import org.jspecify.annotations.Nullable;

/**
 * A memory of keys within the bytes that all keys of this process have together.
 *
 * @param <V> what is kept of a key
 */
final class LocalKeyMemory<V> implements KeyMemory<V> {

	private final BoundedCache<V> bounded;

	LocalKeyMemory(long maximumSize, MemoryBudget memory, long bytesOfValue) {
		this.bounded = new BoundedCache<>(maximumSize, memory,
				(key, value) -> KeyWeight.ofEntry(key.length()) + bytesOfValue, (key, value) -> {
				});
	}

	@Override
	public @Nullable V find(String key) {
		return this.bounded.cache().getIfPresent(key);
	}

	@Override
	public V findOrAdd(String key, Supplier<? extends V> first) {
		V value = find(key);
		return (value != null) ? value : add(key, first);
	}

	private V add(String key, Supplier<? extends V> first) {
		V added = this.bounded.cache().get(key, (absent) -> {
			V value = first.get();
			this.bounded.added(absent, value);
			return value;
		});
		this.bounded.makeRoom(null);
		return added;
	}

}
