package io.github.ratelimit.remote;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * Remembers a fixed number of keys, where there is no Caffeine to do it better. Of two
 * keys with the same place, the later one has it.
 *
 * @param <V> the type of the values
 */
final class FixedSlots<V> implements KeyMemory<V>, MemoryBudget.Holder {

	private static final int PLACES = 1 << 14;

	private final AtomicReferenceArray<@Nullable Place<V>> places = new AtomicReferenceArray<>(PLACES);

	private final AtomicLong bytes = new AtomicLong();

	private final MemoryBudget memory;

	private final long bytesOfValue;

	/* Where the next key is evicted. */
	private int hand;

	private FixedSlots(MemoryBudget memory, long bytesOfValue) {
		this.memory = memory;
		this.bytesOfValue = bytesOfValue;
		memory.add(this);
	}

	/**
	 * Provides memories that share a number of bytes.
	 */
	static KeyMemory.Provider within(MemoryBudget memory) {
		return new KeyMemory.Provider() {

			@Override
			public <V> KeyMemory<V> open(long bytes) {
				return new FixedSlots<>(memory, bytes);
			}

		};
	}

	@Override
	public @Nullable V find(String key) {
		Place<V> place = this.places.get(index(key));
		return (place != null && place.key().equals(key)) ? place.value() : null;
	}

	@Override
	public V findOrAdd(String key, Supplier<? extends V> first) {
		V found = find(key);
		return (found != null) ? found : add(new Place<>(key, first.get()));
	}

	private V add(Place<V> added) {
		Place<V> before = this.places.getAndUpdate(index(added.key()),
				(place) -> (place != null && place.key().equals(added.key())) ? place : added);
		if (before != null && before.key().equals(added.key())) {
			return before.value();
		}
		count(bytesOf(added) - ((before != null) ? bytesOf(before) : 0));
		this.memory.trim(added.key());
		return added.value();
	}

	private long bytesOf(Place<V> place) {
		return MemoryBudget.ofEntry(place.key().length()) + this.bytesOfValue;
	}

	private void count(long bytes) {
		this.bytes.addAndGet(bytes);
		this.memory.count(bytes);
	}

	@Override
	public long bytes() {
		return this.bytes.get();
	}

	/*
	 * One place after another, so that each is evicted about as long after it was added.
	 */
	@Override
	public synchronized boolean evictColdest(long bytes, @Nullable String except) {
		long enough = bytes() - bytes;
		boolean evicted = false;
		for (int i = 0; i < PLACES && bytes() > enough; i++) {
			Place<V> place = this.places.get(this.hand);
			if (place != null && !place.key().equals(except) && this.places.compareAndSet(this.hand, place, null)) {
				count(-bytesOf(place));
				evicted = true;
			}
			this.hand = (this.hand + 1) & (PLACES - 1);
		}
		return evicted;
	}

	private static int index(String key) {
		int hash = key.hashCode();
		return (hash ^ hash >>> 16) & (PLACES - 1);
	}

	private record Place<V>(String key, V value) {
	}

}
