package io.github.ratelimit.remote;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * A memory of a fixed number of keys, for an application without Caffeine, which does it
 * better. Of two keys with the same slot, the later one has it.
 *
 * @param <V> the type of the values
 */
final class FixedSlots<V> implements KeyMemory<V>, MemoryBudget.Holder {

	private static final int SLOTS = 1 << 14;

	private final AtomicReferenceArray<@Nullable Slot<V>> slots = new AtomicReferenceArray<>(SLOTS);

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
		Slot<V> slot = this.slots.get(index(key));
		if (slot == null || !slot.isOf(key)) {
			return null;
		}
		return slot.value();
	}

	@Override
	public V findOrAdd(String key, Supplier<? extends V> first) {
		V found = find(key);
		if (found != null) {
			return found;
		}
		return add(new Slot<>(key, first.get()));
	}

	private V add(Slot<V> added) {
		Slot<V> before = this.slots.getAndUpdate(index(added.key()), added::unlessPresent);
		if (before != null && before.isOf(added.key())) {
			return before.value();
		}

		long bytes = bytesOf(added);
		if (before != null) {
			bytes -= bytesOf(before);
		}
		count(bytes);
		this.memory.trim(added.key());
		return added.value();
	}

	private long bytesOf(Slot<V> slot) {
		return MemoryBudget.ofEntry(slot.key().length()) + this.bytesOfValue;
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
	 * Evicts one slot after another, so that each key goes about as long after it was
	 * added.
	 */
	@Override
	public synchronized boolean evict(long toFree, @Nullable String except) {
		long enough = bytes() - toFree;
		boolean evicted = false;

		for (int i = 0; i < SLOTS && bytes() > enough; i++) {
			Slot<V> slot = this.slots.get(this.hand);
			if (slot != null && !slot.isOf(except) && this.slots.compareAndSet(this.hand, slot, null)) {
				count(-bytesOf(slot));
				evicted = true;
			}
			this.hand = (this.hand + 1) & (SLOTS - 1);
		}

		return evicted;
	}

	private static int index(String key) {
		int hash = key.hashCode();
		return (hash ^ (hash >>> 16)) & (SLOTS - 1);
	}

	private record Slot<V>(String key, V value) {

		private boolean isOf(@Nullable String key) {
			return this.key.equals(key);
		}

		private Slot<V> unlessPresent(@Nullable Slot<V> present) {
			if (present != null && present.isOf(this.key)) {
				return present;
			}
			return this;
		}
	}

}
