package io.github.ratelimit.remote;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

import io.github.ratelimit.store.KeyMemory;
import org.jspecify.annotations.Nullable;

/**
 * Remembers a fixed number of keys, where there is no Caffeine to do it better. Of two
 * keys with the same place, the later one has it.
 *
 * @param <V> the type of the values
 */
final class FixedPlaces<V> implements KeyMemory<V> {

	private static final int PLACES = 1 << 14;

	private final AtomicReferenceArray<@Nullable Place<V>> places = new AtomicReferenceArray<>(PLACES);

	static <V> KeyMemory<V> open(long bytes) {
		return new FixedPlaces<>();
	}

	@Override
	public @Nullable V find(String key) {
		Place<V> place = this.places.get(index(key));
		return (place != null && place.key().equals(key)) ? place.value() : null;
	}

	@Override
	public V findOrAdd(String key, Supplier<? extends V> first) {
		Place<V> added = new Place<>(key, first.get());
		return this.places
			.updateAndGet(index(key), (place) -> (place != null && place.key().equals(key)) ? place : added)
			.value();
	}

	private static int index(String key) {
		int hash = key.hashCode();
		return (hash ^ hash >>> 16) & (PLACES - 1);
	}

	private record Place<V>(String key, V value) {
	}

}
