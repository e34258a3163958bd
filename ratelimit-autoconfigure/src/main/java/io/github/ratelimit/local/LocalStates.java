package io.github.ratelimit.local;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy.Eviction;
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
 * <p>
 * The bytes of each key are counted when it comes, grows and goes, which a decision on a
 * key that is there knows nothing of.
 */
abstract class LocalStates implements RateLimitStates {

	private static final int EVICTED_AT_ONCE = 64;

	final RateLimitClock clock;

	private final Cache<String, long[]> cache;

	private final LongAdder evictions = new LongAdder();

	private final AtomicLong bytes = new AtomicLong();

	private final MemoryBudget memory;

	private final long maximumSize;

	private volatile long watchedSize;

	LocalStates(RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		this.clock = clock;
		this.memory = memory;
		this.maximumSize = maximumSize;
		this.cache = Caffeine.newBuilder()
			.maximumSize(maximumSize)
			.executor(Runnable::run)
			.evictionListener(this::onEviction)
			.build();
		memory.add(this);
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
		return (state != null) ? state : findOrCreateAbsent(key);
	}

	private long[] findOrCreateAbsent(String key) {
		long[] state = this.cache.get(key, this::createCounted);
		makeRoom(null);
		return state;
	}

	/**
	 * Makes the state of a key that is about to be in the map. Whoever calls it makes
	 * room afterwards.
	 */
	final long[] createCounted(String key) {
		long[] state = create();
		count(KeyWeight.of(key, state));
		return state;
	}

	final void count(long bytes) {
		this.bytes.addAndGet(bytes);
		this.memory.count(bytes);
	}

	/**
	 * Makes room if there is none. Not inside a map's operation on a key.
	 * @param except a key that must stay, because it is being enlarged, or {@code null}
	 */
	final void makeRoom(@Nullable String except) {
		if (this.memory.isScarce()) {
			watchUse();
			this.memory.trim(except);
		}
	}

	/*
	 * A cache that is not half full does not note which keys are asked for, because it
	 * need not choose among them. For a moment it is told that it is.
	 */
	private void watchUse() {
		long size = this.cache.estimatedSize();
		if (size > 2 * this.watchedSize) {
			this.watchedSize = size;
			Eviction<String, long[]> eviction = eviction();
			eviction.setMaximum(Math.min(this.maximumSize, size + size / 2));
			eviction.setMaximum(this.maximumSize);
		}
	}

	private Eviction<String, long[]> eviction() {
		return this.cache.policy().eviction().orElseThrow();
	}

	/**
	 * How many bytes the keys take.
	 */
	final long bytes() {
		return this.bytes.get();
	}

	final ConcurrentMap<String, long[]> map() {
		return this.cache.asMap();
	}

	@Override
	public final void reset(String key) {
		map().computeIfPresent(key, (same, state) -> {
			retire(state);
			count(-KeyWeight.of(same, state));
			return null;
		});
	}

	final void forgetIdle() {
		map().forEach((key, state) -> {
			if (looksNew(state)) {
				map().computeIfPresent(key, (same, current) -> forgetIfNew(same, current));
			}
		});
	}

	private long @Nullable [] forgetIfNew(String key, long[] state) {
		if (!retireIfNew(state)) {
			return state;
		}
		count(-KeyWeight.of(key, state));
		return null;
	}

	private void onEviction(@Nullable String key, long @Nullable [] state, RemovalCause cause) {
		if (key != null && state != null) {
			evict(key, state);
		}
	}

	private void evict(String key, long[] state) {
		if (!retire(state)) {
			this.evictions.increment();
		}
		count(-KeyWeight.of(key, state));
	}

	/**
	 * Forgets the keys that are least likely to be asked for again, some at a time. Not
	 * inside a map's operation on a key.
	 * @param bytes how many bytes are enough
	 * @param except a key that must stay, or {@code null}
	 * @return whether any was forgotten
	 */
	final boolean evictColdest(long bytes, @Nullable String except) {
		long before = bytes();
		boolean evicted = false;
		for (String key : eviction().coldest(EVICTED_AT_ONCE).keySet()) {
			if (before - bytes() >= bytes) {
				return true;
			}
			if (!key.equals(except)) {
				map().computeIfPresent(key, (same, state) -> {
					evict(same, state);
					return null;
				});
				evicted = true;
			}
		}
		return evicted;
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
