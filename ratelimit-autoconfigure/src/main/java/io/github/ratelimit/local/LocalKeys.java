package io.github.ratelimit.local;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitClock;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one policy, whichever of its limits decided on them last: a cache from the
 * key's text to its state.
 * <p>
 * A state is a {@link VersionedState}. Where that would take more bytes, a policy's
 * limits as they were first opened have an array of words instead, so that a policy whose
 * limits never change does not pay for those whose limits do.
 * <p>
 * Limits that decide no longer are kept only by the states that they have written.
 */
final class LocalKeys implements IdleKeys {

	final RateLimitClock clock;

	final MemoryBudget memory;

	final BoundedCache<Object> bounded;

	private final LocalStates first;

	private final LongAdder evictions = new LongAdder();

	LocalKeys(LocalStates first, RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		this.first = first;
		this.clock = clock;
		this.memory = memory;
		this.bounded = new BoundedCache<>(maximumSize, memory, KeyWeight::of, this::onEviction);
	}

	/**
	 * The limits under which a state was written.
	 */
	LocalStates owner(Object state) {
		return (state instanceof VersionedState versioned) ? versioned.owner : this.first;
	}

	ConcurrentMap<String, Object> map() {
		return this.bounded.map();
	}

	void reset(String key) {
		map().computeIfPresent(key, (same, state) -> {
			owner(state).retire(state);
			this.bounded.removed(same, state);
			return null;
		});
	}

	@Override
	public void forgetAll() {
		map().keySet().forEach(this::reset);
	}

	@Override
	public void forgetIdle() {
		map().forEach((key, state) -> {
			if (owner(state).looksIdle(state)) {
				map().computeIfPresent(key, this::forgetIfIdle);
			}
		});
	}

	private @Nullable Object forgetIfIdle(String key, Object state) {
		if (!owner(state).retireIfIdle(state)) {
			return state;
		}
		this.bounded.removed(key, state);
		return null;
	}

	private void onEviction(String key, Object state) {
		if (!owner(state).retire(state)) {
			this.evictions.increment();
		}
	}

	@Override
	public long keys() {
		return this.bounded.cache().estimatedSize();
	}

	long evictions() {
		return this.evictions.sum();
	}

}
