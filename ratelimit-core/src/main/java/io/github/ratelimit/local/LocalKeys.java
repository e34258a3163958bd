package io.github.ratelimit.local;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.store.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one policy, with their states, whichever of its limits decided on them
 * last, or with their bans. An idle key, whose value changes no answer, can be forgotten.
 *
 * @param <V> the type of a key's value
 */
final class LocalKeys<V extends LocalKeys.Value> extends BoundedCache<V> {

	final RateLimitClock clock;

	private final LongAdder evictions = new LongAdder();

	LocalKeys(RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		super(maximumSize, memory);
		this.clock = clock;
	}

	void reset(String key) {
		compute(key, (value) -> {
			if (value != null) {
				value.retire(this.clock.nanos(), false);
			}
			return null;
		});
	}

	void forgetAll() {
		map().keySet().forEach(this::reset);
	}

	void forgetIdle() {
		for (Map.Entry<String, V> seen : map().entrySet()) {
			if (seen.getValue().looksIdle(this.clock.nanos())) {
				compute(seen.getKey(), this::retireIdle);
			}
		}
	}

	private @Nullable V retireIdle(@Nullable V value) {
		if (value != null && value.retire(this.clock.nanos(), true)) {
			return null;
		}
		return value;
	}

	@Override
	long bytesOf(String key, V value) {
		return MemoryBudget.ofEntry(key.length()) + value.bytes();
	}

	@Override
	void onEviction(V value) {
		if (!value.retire(this.clock.nanos(), false)) {
			this.evictions.increment();
		}
	}

	/**
	 * Returns how many keys were evicted that were not idle.
	 */
	long evictions() {
		return this.evictions.sum();
	}

	/**
	 * The value of one key.
	 */
	interface Value {

		/**
		 * Returns how many bytes of the heap it takes, at most.
		 */
		long bytes();

		/**
		 * Whether it seems that forgetting it would change no answer. A thread that
		 * changes it meanwhile makes the answer wrong.
		 */
		boolean looksIdle(long now);

		/**
		 * Marks it as gone. Called inside the map's operation on the key.
		 * @param onlyIfIdle whether to leave it as it is if it is not idle
		 * @return whether it is idle
		 */
		boolean retire(long now, boolean onlyIfIdle);

	}

}
