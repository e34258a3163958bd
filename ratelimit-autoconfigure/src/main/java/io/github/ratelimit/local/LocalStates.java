package io.github.ratelimit.local;

import java.util.Objects;
import java.util.concurrent.ConcurrentMap;

import com.github.benmanes.caffeine.cache.Cache;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.LogSize;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.algorithm.WordAlgorithm;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * One policy's keys under some limits. All limits of a policy share its keys.
 * <p>
 * A state is forgotten, evicted or replaced inside the map's own atomic operation on the
 * key, and is <em>retired</em> there: marked, so that a thread that still holds it cannot
 * take from it and asks the map again. Therefore no permit is lost with a state that has
 * left the map. So is a state that other limits have written, before these decide on the
 * key for the first time: what it has taken is carried over.
 * <p>
 * Permits are refunded to the state that is there, and taken by a settlement from it,
 * whichever limits have written it.
 * <p>
 * No request is rejected by a state that is newer than the time that was read: a thread
 * that was held up between the two would apply a past time to the present state.
 */
abstract class LocalStates implements PolicyDecider, IdleKeys {

	final RateLimitClock clock;

	private final LocalKeys keys;

	private final Cache<String, Object> cache;

	LocalStates(RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		this.clock = clock;
		this.keys = new LocalKeys(this, clock, maximumSize, memory);
		this.cache = this.keys.bounded.cache();
	}

	LocalStates(LocalKeys keys) {
		this.clock = keys.clock;
		this.keys = keys;
		this.cache = keys.bounded.cache();
	}

	/**
	 * Opens a policy, whose keys are new.
	 * @throws io.github.ratelimit.InvalidRateLimitException if its heaviest key is too
	 * heavy
	 */
	static LocalStates open(RateLimitPolicy policy, RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		Algorithm algorithm = algorithm(policy, memory, 0);
		return (algorithm instanceof WordAlgorithm word) ? new CasStates(word, clock, maximumSize, memory)
				: new SeqlockStates(algorithm, clock, maximumSize, memory);
	}

	private static Algorithm algorithm(RateLimitPolicy policy, MemoryBudget memory, long bytesOfOwner) {
		LogSize.check(policy);
		Algorithm algorithm = Algorithm.of(policy, Tick.NANOSECOND);
		KeyWeight.check(policy, algorithm, bytesOfOwner, memory.maximum());
		return algorithm;
	}

	@Override
	public final LocalStates under(RateLimitPolicy policy) {
		Algorithm algorithm = algorithm(policy, this.keys.memory, KeyWeight.OWNER);
		return (algorithm instanceof WordAlgorithm word) ? new CasStates(word, this.keys)
				: new SeqlockStates(algorithm, this.keys);
	}

	@Override
	public final void refund(String key, long permits, RateLimitDecision given) {
		RateLimitReceipt receipt = RateLimitReceipt.of(given);
		for (int tries = 1;; tries++) {
			Object state = find(key);
			if (state == null) {
				return;
			}
			LocalStates owner = this.keys.owner(state);
			if (owner.refund(state, permits,
					(owner == this) ? receipt : owner.algorithm().receipt(algorithm(), receipt))) {
				return;
			}
			Backoff.pause(tries);
		}
	}

	@Override
	public final void settle(String key, long reserved, long used, RateLimitDecision given) {
		if (used < reserved) {
			refund(key, reserved - used, given);
		}
		else if (used > reserved) {
			charge(key, used - reserved);
		}
	}

	/*
	 * Takes permits that were used already. A key without a state gets one.
	 */
	private void charge(String key, long permits) {
		for (int tries = 1;; tries++) {
			Object state = findOrCreate(key);
			if (this.keys.owner(state).charge(key, state, permits)) {
				return;
			}
			Backoff.pause(tries);
		}
	}

	abstract Algorithm algorithm();

	/**
	 * Refunds to a state of these limits.
	 * @return {@code false} if the state is retired
	 */
	abstract boolean refund(Object state, long permits, RateLimitReceipt given);

	/**
	 * Takes permits that were used already from a state of these limits.
	 * @return {@code false} if the state is retired
	 */
	abstract boolean charge(String key, Object state, long permits);

	/**
	 * Creates the state of a new key.
	 */
	abstract Object create();

	/**
	 * How many words these limits have before those of the algorithm.
	 */
	abstract int ownWords();

	/**
	 * Creates a state of these limits from all of its words.
	 */
	abstract Object create(long[] words);

	/**
	 * What other limits go on with: the words of a state of these limits.
	 * @param retire whether to retire it
	 * @return a copy; {@code null} if it is retired
	 */
	abstract long @Nullable [] words(Object state, boolean retire);

	/**
	 * Called inside the map's operation on a key with a state of these limits.
	 * @return a state to replace it, which is retired then, or the same
	 */
	abstract Object renewed(Object state);

	/**
	 * Retires a state, idle or not.
	 * @return whether the key was idle
	 */
	abstract boolean retire(Object state);

	/**
	 * Retires a state if the key is idle.
	 * @return whether the state is retired now
	 */
	abstract boolean retireIfIdle(Object state);

	/**
	 * Whether a key seems to be idle. A thread that changes the state meanwhile makes the
	 * answer wrong.
	 */
	abstract boolean looksIdle(Object state);

	final @Nullable Object find(String key) {
		return this.cache.getIfPresent(key);
	}

	/**
	 * The state of a key, whichever limits have written it. A new one is of these limits.
	 */
	final Object findOrCreate(String key) {
		Object state = this.cache.getIfPresent(key);
		return (state != null) ? state : findOrCreateAbsent(key);
	}

	private Object findOrCreateAbsent(String key) {
		Object state = this.cache.get(key, this::createCounted);
		makeRoom(null);
		return state;
	}

	/*
	 * The state of a key that is about to be in the map. The caller makes room
	 * afterwards.
	 */
	private Object createCounted(String key) {
		Object state = create();
		this.keys.bounded.added(key, state);
		return state;
	}

	/**
	 * The state of a key under these limits. Waits for a thread that retires it, inside
	 * the map's operation on the key, and replaces a state that other limits have
	 * written, or that cannot go on.
	 */
	final Object current(String key) {
		Object current = map().compute(key, (same, state) -> (state != null) ? next(state) : createCounted(same));
		makeRoom(null);
		return current;
	}

	private Object next(Object state) {
		LocalStates owner = this.keys.owner(state);
		Object next = (owner == this) ? renewed(state) : Objects.requireNonNull(carriedOver(owner, state, true));
		count(KeyWeight.of(next) - KeyWeight.of(state));
		return next;
	}

	/*
	 * The time is read before the state is retired, so that what others take meanwhile is
	 * carried over, too.
	 */
	private @Nullable Object carriedOver(LocalStates owner, Object state, boolean retire) {
		long now = this.clock.nanos();
		long[] words = owner.words(state, retire);
		return (words != null) ? create(algorithm().create(ownWords(), now, owner.algorithm(), words)) : null;
	}

	/**
	 * A state of these limits to look at, which is not in the map unless they have
	 * written it: a look creates no state, and carries nothing over.
	 */
	final Object visible(String key) {
		for (int tries = 1;; tries++) {
			Object found = find(key);
			if (found == null) {
				return create();
			}
			LocalStates owner = this.keys.owner(found);
			Object state = (owner == this) ? found : carriedOver(owner, found, false);
			if (state != null) {
				return state;
			}
			Backoff.pause(tries);
		}
	}

	final void count(long bytes) {
		this.keys.bounded.count(bytes);
	}

	/**
	 * Makes room if there is none. Must not be called inside a map's operation on a key.
	 * @param except a key that must stay, because it is being enlarged, or {@code null}
	 */
	final void makeRoom(@Nullable String except) {
		this.keys.bounded.makeRoom(except);
	}

	/**
	 * How many bytes the keys take.
	 */
	final long bytes() {
		return this.keys.bounded.bytes();
	}

	final ConcurrentMap<String, Object> map() {
		return this.cache.asMap();
	}

	@Override
	public final void reset(String key) {
		this.keys.reset(key);
	}

	@Override
	public final void forgetAll() {
		this.keys.forgetAll();
	}

	@Override
	public final void forgetIdle() {
		this.keys.forgetIdle();
	}

	@Override
	public final boolean isInProcess() {
		return true;
	}

	@Override
	public final long keys() {
		return this.keys.keys();
	}

	@Override
	public final long evictions() {
		return this.keys.evictions();
	}

}
