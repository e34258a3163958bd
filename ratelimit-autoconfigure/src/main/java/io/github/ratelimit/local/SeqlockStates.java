package io.github.ratelimit.local;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a policy whose state has more than one changing word. The first word is a
 * sequence lock: even while the state is at rest, odd while a thread changes it.
 * <p>
 * All threads read without the lock, and use what they read only if the lock has not
 * changed meanwhile. Locking it from the value that the read began with proves the same,
 * so that a request is evaluated once and then takes its permits. A rejection writes
 * nothing, and waits only for a change in progress.
 * <p>
 * A thread that changes the map's entry locks the state inside the map's operation on the
 * key, never the other way round.
 */
final class SeqlockStates extends LocalStates {

	private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

	private static final int LOCK = 0;

	private static final int FIRST = 1;

	private static final long RETIRED = -1;

	private final Algorithm algorithm;

	private final Algorithm withoutDelays;

	/* Its states are the words themselves. */
	private final boolean first;

	SeqlockStates(Algorithm algorithm, RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		super(clock, maximumSize, memory);
		this.algorithm = algorithm;
		this.withoutDelays = algorithm.withoutDelays();
		this.first = true;
	}

	SeqlockStates(Algorithm algorithm, LocalKeys keys) {
		super(keys);
		this.algorithm = algorithm;
		this.withoutDelays = algorithm.withoutDelays();
		this.first = false;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decide(this.algorithm, key, permits);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		return decide((permits <= this.algorithm.capacity()) ? this.withoutDelays : this.algorithm, key, permits);
	}

	private RateLimitDecision decide(Algorithm admitting, String key, long permits) {
		boolean takesNothing = permits == 0 || permits > this.algorithm.capacity();
		long[] state = takesNothing ? words(visible(key)) : own(key);
		for (int tries = 1;; tries++) {
			long lock = (long) WORDS.getAcquire(state, LOCK);
			if (lock == RETIRED) {
				state = words(takesNothing ? visible(key) : current(key));
				continue;
			}
			if ((lock & 1) != 0) {
				Backoff.pause(tries);
				continue;
			}
			long now = this.clock.nanos();
			boolean admitted = admitting.admits(state, FIRST, now, permits);
			if (takesNothing || !changes(admitting, state, now, permits, admitted)) {
				RateLimitDecision decision = unchanged(admitting, state, now, permits, admitted);
				if (isUnchanged(state, lock)) {
					return decision;
				}
			}
			else if (isMissingRoom(state, now, permits)) {
				grow(key, state, now, permits);
				state = words(current(key));
			}
			else if (tryLock(state, lock)) {
				try {
					return change(state, now, permits, admitted);
				}
				finally {
					WORDS.setRelease(state, LOCK, lock + 2);
				}
			}
			else {
				RateLimitDecision decision = decideAlone(admitting, state, permits);
				if (decision != null) {
					return decision;
				}
			}
		}
	}

	/*
	 * A rejection is counted if it is one whether the request can wait or not.
	 */
	private boolean changes(Algorithm admitting, long[] state, long now, long permits, boolean admitted) {
		return admitted || this.algorithm.countsRejected()
				&& (admitting == this.algorithm || !this.algorithm.admits(state, FIRST, now, permits));
	}

	private RateLimitDecision change(long[] state, long now, long permits, boolean admitted) {
		if (admitted) {
			this.algorithm.take(state, FIRST, now, permits);
		}
		else {
			this.algorithm.recordRejected(state, FIRST, now, permits);
		}
		return this.algorithm.decision(state, FIRST, now, permits, admitted);
	}

	private RateLimitDecision unchanged(Algorithm admitting, long[] state, long now, long permits, boolean admitted) {
		if (admitting == this.algorithm || permits > 0 && !this.algorithm.admits(state, FIRST, now, permits)) {
			return this.algorithm.decision(state, FIRST, now, permits, admitted);
		}
		RateLimitDecision decision = admitting.decision(state, FIRST, now, permits, admitted);
		return admitted ? decision
				: RateLimitDecisions.asQueueFull(decision, this.algorithm.delayNanos(state, FIRST, now, permits));
	}

	/*
	 * Decides under the lock. Where many threads change one state, a thread would seldom
	 * find it unchanged since before it read the time. Another lock afterwards would say
	 * that something was taken, which a rejection that is not counted does not.
	 *
	 * @return the decision, or null if the state is retired or must grow first
	 */
	private @Nullable RateLimitDecision decideAlone(Algorithm admitting, long[] state, long permits) {
		long lock = lock(state);
		if (lock == RETIRED) {
			return null;
		}
		long next = lock;
		try {
			long now = this.clock.nanos();
			if (isMissingRoom(state, now, permits)) {
				return null;
			}
			boolean admitted = admitting.admits(state, FIRST, now, permits);
			if (!changes(admitting, state, now, permits, admitted)) {
				return unchanged(admitting, state, now, permits, admitted);
			}
			next = lock + 2;
			return change(state, now, permits, admitted);
		}
		finally {
			WORDS.setRelease(state, LOCK, next);
		}
	}

	private long[] own(String key) {
		Object state = findOrCreate(key);
		return words(isOwn(state) ? state : current(key));
	}

	private boolean isOwn(Object state) {
		return (state instanceof VersionedState versioned) ? versioned.owner == this : this.first;
	}

	private static long[] words(Object state) {
		return (state instanceof long[] words) ? words : ((OwnedWords) state).words;
	}

	private boolean isMissingRoom(long[] state, long now, long permits) {
		return this.algorithm.grows() && this.algorithm.missing(state, FIRST, now, permits) > 0;
	}

	private static boolean isUnchanged(long[] state, long lock) {
		VarHandle.acquireFence();
		return (long) WORDS.getOpaque(state, LOCK) == lock;
	}

	@Override
	Algorithm algorithm() {
		return this.algorithm;
	}

	/*
	 * The time is read under the lock, so that it is not earlier than what others have
	 * changed while this thread waited for it.
	 */
	@Override
	boolean refund(Object found, long permits, RateLimitReceipt given) {
		long[] state = words(found);
		long lock = lock(state);
		if (lock == RETIRED) {
			return false;
		}
		try {
			this.algorithm.refund(state, FIRST, this.clock.nanos(), permits, given);
		}
		finally {
			WORDS.setRelease(state, LOCK, lock + 2);
		}
		return true;
	}

	@Override
	boolean charge(String key, Object found, long permits) {
		long[] state = words(found);
		long lock = lock(state);
		if (lock == RETIRED) {
			return false;
		}
		long now;
		try {
			now = this.clock.nanos();
			if (!isMissingRoom(state, now, permits)) {
				this.algorithm.charge(state, FIRST, now, permits);
				return true;
			}
		}
		finally {
			WORDS.setRelease(state, LOCK, lock + 2);
		}
		grow(key, state, now, permits);
		return false;
	}

	@Override
	Object renewed(Object state) {
		return state;
	}

	/*
	 * Makes room for the larger array first, because waiting for room is not allowed
	 * inside the map's operation. The smaller array counts until it is replaced. If more
	 * is missing than was seen without the lock, the caller finds that it must grow the
	 * state again.
	 */
	private void grow(String key, long[] seen, long seenAt, long permits) {
		long room = KeyWeight.ofWords(seen.length + (long) this.algorithm.missing(seen, FIRST, seenAt, permits));
		count(room);
		makeRoom(key);
		map().computeIfPresent(key, (same, state) -> {
			if (!isOwn(state) || words(state) != seen) {
				return state;
			}
			long lock = lock(seen);
			long next = lock;
			try {
				long now = this.clock.nanos();
				int missing = this.algorithm.missing(seen, FIRST, now, permits);
				if (missing == 0 || KeyWeight.ofWords((long) seen.length + missing) > room) {
					return state;
				}
				Object larger = create(this.algorithm.enlarged(seen, FIRST, now, permits));
				next = RETIRED;
				count(KeyWeight.of(larger) - KeyWeight.of(state));
				return larger;
			}
			finally {
				WORDS.setRelease(seen, LOCK, next);
			}
		});
		count(-room);
	}

	/*
	 * The fence keeps the changes behind the lock for readers on processors that reorder
	 * stores.
	 */
	private static boolean tryLock(long[] state, long lock) {
		boolean locked = WORDS.compareAndSet(state, LOCK, lock, lock + 1);
		VarHandle.storeStoreFence();
		return locked;
	}

	/*
	 * Inside the map's operation on the key the state cannot be retired.
	 */
	private static long lock(long[] state) {
		for (int tries = 1;; tries++) {
			long lock = (long) WORDS.getAcquire(state, LOCK);
			if (lock == RETIRED || ((lock & 1) == 0 && tryLock(state, lock))) {
				return lock;
			}
			Backoff.pause(tries);
		}
	}

	@Override
	Object create() {
		return create(this.algorithm.create(FIRST, this.clock.nanos()));
	}

	@Override
	int ownWords() {
		return FIRST;
	}

	@Override
	Object create(long[] words) {
		return this.first ? words : new OwnedWords(this, words);
	}

	@Override
	long @Nullable [] words(Object found, boolean retire) {
		long[] state = words(found);
		long lock = lock(state);
		if (lock == RETIRED) {
			return null;
		}
		long[] words = Arrays.copyOfRange(state, FIRST, state.length);
		WORDS.setRelease(state, LOCK, retire ? RETIRED : lock);
		return words;
	}

	@Override
	boolean retire(Object found) {
		long[] state = words(found);
		long now = this.clock.nanos();
		lock(state);
		boolean wasIdle = this.algorithm.isIdle(state, FIRST, now);
		WORDS.setRelease(state, LOCK, RETIRED);
		return wasIdle;
	}

	@Override
	boolean retireIfIdle(Object found) {
		long[] state = words(found);
		long now = this.clock.nanos();
		long lock = lock(state);
		boolean isIdle = this.algorithm.isIdle(state, FIRST, now);
		WORDS.setRelease(state, LOCK, isIdle ? RETIRED : lock + 2);
		return isIdle;
	}

	@Override
	boolean looksIdle(Object state) {
		return this.algorithm.isIdle(words(state), FIRST, this.clock.nanos());
	}

	/**
	 * The words of one key, of limits other than the first.
	 */
	private static final class OwnedWords extends VersionedState {

		final long[] words;

		OwnedWords(LocalStates owner, long[] words) {
			super(owner);
			this.words = words;
		}

		@Override
		long bytes() {
			return KeyWeight.OWNER + KeyWeight.ofWords(this.words.length);
		}

	}

}
