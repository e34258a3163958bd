package io.github.ratelimit.local;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * One policy's keys: a cache from the key's text to the words of its state.
 * <p>
 * Whether to forget, evict or replace a state is decided inside the map's own atomic
 * operation on the key, and the state is <em>retired</em> there: marked, so that whoever
 * still holds it can no longer take from it and asks the map again. A permit can
 * therefore not be lost with a state that nobody finds any more.
 * <p>
 * Nobody is refused by a state that is newer than the time that was read: a thread that
 * was held up between the two would judge the present by the past.
 */
abstract class LocalStates implements RateLimitStates {

	final RateLimitClock clock;

	private final Cache<String, long[]> cache;

	private final LongAdder evictions = new LongAdder();

	LocalStates(RateLimitClock clock, long maximumSize) {
		this.clock = clock;
		this.cache = Caffeine.newBuilder()
			.maximumSize(maximumSize)
			.executor(Runnable::run)
			.evictionListener(this::onEviction)
			.build();
	}

	/**
	 * Makes the state of a key that was never seen.
	 */
	abstract long[] create();

	/**
	 * Retires a state, whatever it says.
	 * @return whether the key was as good as new
	 */
	abstract boolean retire(long[] state);

	/**
	 * Retires a state if the key is as good as new.
	 * @return whether the state is retired now
	 */
	abstract boolean retireIfNew(long[] state);

	/**
	 * Says whether a key looks as good as new, without any promise.
	 */
	abstract boolean looksNew(long[] state);

	final long @Nullable [] find(String key) {
		return this.cache.getIfPresent(key);
	}

	final long[] findOrCreate(String key) {
		long[] state = this.cache.getIfPresent(key);
		return (state != null) ? state : this.cache.get(key, (absent) -> create());
	}

	final ConcurrentMap<String, long[]> map() {
		return this.cache.asMap();
	}

	@Override
	public final void reset(String key) {
		map().computeIfPresent(key, (same, state) -> {
			retire(state);
			return null;
		});
	}

	final void forgetIdle() {
		map().forEach((key, state) -> {
			if (looksNew(state)) {
				map().computeIfPresent(key, (same, current) -> retireIfNew(current) ? null : current);
			}
		});
	}

	private void onEviction(@Nullable String key, long @Nullable [] state, RemovalCause cause) {
		if (state != null && !retire(state)) {
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
