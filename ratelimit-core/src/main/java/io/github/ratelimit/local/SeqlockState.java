package io.github.ratelimit.local;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The state of limits that have more than one changing word, behind a sequence lock: its
 * number is even while the state is at rest, odd while a thread changes it.
 * <p>
 * All threads read without the lock, and use what they read only if the lock has not
 * changed meanwhile. Locking it from the value that the read began with proves the same,
 * so that a request is evaluated once and then takes its permits. A rejection writes
 * nothing, and waits only for a change in progress.
 * <p>
 * The lock is opened with a release, which costs less than a fence, and is all that those
 * need who take or read it afterwards.
 * <p>
 * A thread that changes the map's entry locks the state inside the map's operation on the
 * key, never the other way round.
 */
@SuppressWarnings("serial")
final class SeqlockState extends LocalState {

	/** The bytes that it takes without its words. */
	static final long BYTES = 40;

	private volatile long[] words;

	SeqlockState(LocalDecider limits, long[] words) {
		super(limits, 0);
		this.words = words;
	}

	@Override
	@Nullable RateLimitDecision decide(LocalDecider limits, Algorithm admitting, String key, long permits) {
		for (int tries = 1;; tries++) {
			long seen = get();
			if (seen == RETIRED) {
				return null;
			}

			if (isUnlocked(seen)) {
				// after the lock was read: an earlier moment must not judge a newer state
				long now = limits.clock.nanos();
				RateLimitDecision rejection = rejection(limits, admitting, now, permits);
				if (rejection != null) {
					if (isUnchanged(seen)) {
						return rejection;
					}
				}
				else if (isMissingRoom(now, permits)) {
					grow(key, now, permits);
					continue;
				}
				else if (tryLock(seen)) {
					return decideAlone(limits, admitting, permits, seen, now);
				}
			}

			Backoff.pause(tries);
		}
	}

	/*
	 * Returns the rejection of a request, or null if it is admitted, or if the rejection
	 * is to be counted. That of a request that is only kept from waiting is not counted.
	 */
	private @Nullable RateLimitDecision rejection(LocalDecider limits, Algorithm admitting, long now, long permits) {
		long[] words = this.words;
		if (admitting.admits(words, 0, now, permits)) {
			return null;
		}
		if (admitting != limits.algorithm && limits.algorithm.admits(words, 0, now, permits)) {
			RateLimitDecision rejection = admitting.decision(words, 0, now, permits, false, null);
			return RateLimitDecisions.asQueueFull(rejection, rejection.retryAfterNanos());
		}
		if (limits.countsRejected) {
			return null;
		}
		return limits.algorithm.decision(words, 0, now, permits, false, null);
	}

	/*
	 * Decides under the lock, which has not changed since the time was read: neither has
	 * the state.
	 */
	private RateLimitDecision decideAlone(LocalDecider limits, Algorithm admitting, long permits, long seen, long now) {
		try {
			Algorithm algorithm = limits.algorithm;
			boolean admitted = !limits.countsRejected || admitting.admits(this.words, 0, now, permits);
			if (admitted) {
				algorithm.take(this.words, 0, now, permits);
			}
			else {
				algorithm.recordRejected(this.words, 0, now, permits);
			}
			return algorithm.decision(this.words, 0, now, permits, admitted, null);
		}
		finally {
			setRelease(seen + 2);
		}
	}

	@Override
	@Nullable RateLimitDecision read(Algorithm admitting, long permits) {
		long seen = get();
		RateLimitDecision decision = admitting.decision(this.words, 0, this.limits.clock.nanos(), permits, permits == 0,
				null);
		return (isUnlocked(seen) && isUnchanged(seen)) ? decision : null;
	}

	private static boolean isUnlocked(long seen) {
		return (seen & 1) == 0;
	}

	private boolean isUnchanged(long seen) {
		VarHandle.acquireFence();
		return getOpaque() == seen;
	}

	/*
	 * The time is read under the lock, so that it is not earlier than what others have
	 * changed while this thread waited for it.
	 */
	@Override
	boolean refund(long permits, RateLimitReceipt given) {
		long seen = lock();
		if (seen == RETIRED) {
			return false;
		}
		try {
			this.limits.algorithm.refund(this.words, 0, this.limits.clock.nanos(), permits, given, 0);
		}
		finally {
			setRelease(seen + 2);
		}
		return true;
	}

	@Override
	boolean charge(String key, long permits, @Nullable AtomicReference<@Nullable LateCharge> noted) {
		long seen = lock();
		if (seen == RETIRED) {
			return false;
		}

		long now;
		try {
			now = this.limits.clock.nanos();
			if (!isMissingRoom(now, permits)) {
				chargeAlone(now, permits, noted);
				return true;
			}
		}
		finally {
			setRelease(seen + 2);
		}
		grow(key, now, permits);
		return false;
	}

	private void chargeAlone(long now, long permits, @Nullable AtomicReference<@Nullable LateCharge> noted) {
		if (noted == null) {
			this.limits.algorithm.charge(this.words, 0, now, permits);
			return;
		}
		RateLimitDecision before = look(now);
		this.limits.algorithm.charge(this.words, 0, now, permits);
		noted.set(new LateCharge(before, look(now)));
	}

	private RateLimitDecision look(long now) {
		return this.limits.algorithm.decision(this.words, 0, now, 0, true, null);
	}

	private boolean isMissingRoom(long now, long permits) {
		return this.limits.grows && this.limits.algorithm.missing(this.words, 0, now, permits) > 0;
	}

	/*
	 * Makes room for the larger array before it locks the state, because a thread that
	 * makes room locks those that it evicts. The smaller array counts until it is
	 * replaced. If more is missing than was seen without the lock, the caller finds that
	 * the state must grow again.
	 */
	private void grow(String key, long seenAt, long permits) {
		long[] old = this.words;
		long room = KeyWeight.bytesOfWords(old.length + (long) this.limits.algorithm.missing(old, 0, seenAt, permits));
		this.limits.keys.count(room);
		try {
			this.limits.keys.makeRoom(key);
			enlarge(room, permits);
		}
		finally {
			this.limits.keys.count(-room);
		}
	}

	private void enlarge(long room, long permits) {
		long seen = lock();
		if (seen == RETIRED) {
			return;
		}

		try {
			long[] larger = this.limits.algorithm.enlarged(this.words, this.limits.clock.nanos(), permits);
			if (KeyWeight.bytesOfWords(larger.length) <= room) {
				this.limits.keys.count(Long.BYTES * (long) (larger.length - this.words.length));
				this.words = larger;
			}
		}
		finally {
			setRelease(seen + 2);
		}
	}

	/*
	 * The fence keeps the changes behind the lock for readers on processors that reorder
	 * stores.
	 */
	private boolean tryLock(long seen) {
		boolean locked = compareAndSet(seen, seen + 1);
		VarHandle.storeStoreFence();
		return locked;
	}

	/*
	 * Returns the number to unlock it with, or RETIRED, and then nothing is locked.
	 */
	private long lock() {
		for (int tries = 1;; tries++) {
			long seen = get();
			if (seen == RETIRED || (isUnlocked(seen) && tryLock(seen))) {
				return seen;
			}
			Backoff.pause(tries);
		}
	}

	@Override
	long @Nullable [] words(boolean retire) {
		long seen = lock();
		if (seen == RETIRED) {
			return null;
		}

		long next = seen;
		try {
			long[] copy = this.words.clone();
			next = retire ? RETIRED : seen;
			return copy;
		}
		finally {
			setRelease(next);
		}
	}

	/*
	 * Inside the map's operation on the key the state cannot be retired by another
	 * thread.
	 */
	@Override
	public boolean retire(long now, boolean onlyIfIdle) {
		long seen = lock();
		long next = seen;
		try {
			boolean isIdle = this.limits.algorithm.isIdle(this.words, 0, now);
			next = (isIdle || !onlyIfIdle) ? RETIRED : seen;
			return isIdle;
		}
		finally {
			setRelease(next);
		}
	}

	@Override
	public boolean looksIdle(long now) {
		return this.limits.algorithm.isIdle(this.words, 0, now);
	}

	@Override
	public long bytes() {
		return BYTES + KeyWeight.bytesOfWords(this.words.length);
	}

}
