package io.github.ratelimit.local;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

import com.github.benmanes.caffeine.cache.Cache;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.store.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * One policy's keys: a cache from the key's text to the words of its state.
 * <p>
 * A state is forgotten, evicted or replaced inside the map's own atomic operation on the
 * key, and is <em>retired</em> there: marked, so that a thread that still holds it cannot
 * take from it and asks the map again. Therefore no permit is lost with a state that has
 * left the map.
 * <p>
 * No request is rejected by a state that is newer than the time that was read: a thread
 * that was held up between the two would apply a past time to the present state.
 */
abstract class LocalStates implements RateLimitStates {

	final RateLimitClock clock;

	private final Cache<String, long[]> cache;

	private final LongAdder evictions = new LongAdder();

	private final BoundedCache<long[]> bounded;

	LocalStates(RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		this.clock = clock;
		this.bounded = new BoundedCache<>(maximumSize, memory, KeyWeight::of, this::onEviction);
		this.cache = this.bounded.cache();
	}

	/**
	 * Creates the state of a new key.
	 */
	abstract long[] create();

	/**
	 * Retires a state, idle or not.
	 * @return whether the key was idle
	 */
	abstract boolean retire(long[] state);

	/**
	 * Retires a state if the key is idle.
	 * @return whether the state is retired now
	 */
	abstract boolean retireIfIdle(long[] state);

	/**
	 * Whether a key seems to be idle. A thread that changes the state meanwhile makes the
	 * answer wrong.
	 */
	abstract boolean looksIdle(long[] state);

	final long @Nullable [] find(String key) {
		return this.cache.getIfPresent(key);
	}

	final long[] findOrCreate(String key) {
		long[] state = this.cache.getIfPresent(key);
		return (state != null) ? state : findOrCreateAbsent(key);
	}

	private long[] findOrCreateAbsent(String key) {
		long[] state = this.cache.get(key, this::createCounted);
		makeRoom(null);
		return state;
	}

	/**
	 * Creates and counts the state of a key that is about to be in the map. The caller
	 * makes room afterwards.
	 */
	final long[] createCounted(String key) {
		long[] state = create();
		this.bounded.added(key, state);
		return state;
	}

	final void count(long bytes) {
		this.bounded.count(bytes);
	}

	/**
	 * Makes room if there is none. Must not be called inside a map's operation on a key.
	 * @param except a key that must stay, because it is being enlarged, or {@code null}
	 */
	final void makeRoom(@Nullable String except) {
		this.bounded.makeRoom(except);
	}

	/**
	 * How many bytes the keys take.
	 */
	final long bytes() {
		return this.bounded.bytes();
	}

	final ConcurrentMap<String, long[]> map() {
		return this.cache.asMap();
	}

	@Override
	public final void reset(String key) {
		map().computeIfPresent(key, (same, state) -> {
			retire(state);
			this.bounded.removed(same, state);
			return null;
		});
	}

	final void forgetAll() {
		map().keySet().forEach(this::reset);
	}

	final void forgetIdle() {
		map().forEach((key, state) -> {
			if (looksIdle(state)) {
				map().computeIfPresent(key, (same, current) -> forgetIfIdle(same, current));
			}
		});
	}

	private long @Nullable [] forgetIfIdle(String key, long[] state) {
		if (!retireIfIdle(state)) {
			return state;
		}
		this.bounded.removed(key, state);
		return null;
	}

	private void onEviction(String key, long[] state) {
		if (!retire(state)) {
			this.evictions.increment();
		}
	}

	@Override
	public final long keys() {
		return this.cache.estimatedSize();
	}

	@Override
	public final long evictions() {
		return this.evictions.sum();
	}

}
