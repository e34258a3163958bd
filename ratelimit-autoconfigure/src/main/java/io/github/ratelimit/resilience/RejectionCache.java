package io.github.ratelimit.resilience;

import java.time.Duration;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.KeyMemory;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the rejections of one policy under certain limits. Until a key has permits
 * again, the store would answer the same, so it need not be asked. What was remembered
 * under other limits is dropped.
 */
final class RejectionCache {

	private static final int RENEWED_PART = 10;

	private final KeyMemory<KnownKey> known;

	private final long longestNanos;

	private final boolean bansOnly;

	/**
	 * Creates the rejections of one policy.
	 * @param longest how long to remember a rejection at most, because it can be reset
	 * elsewhere
	 * @param known the known keys of the policy
	 * @param bansOnly whether the store must see each request of a key that is not
	 * banned, because it counts rejections
	 */
	RejectionCache(Duration longest, KeyMemory<KnownKey> known, boolean bansOnly) {
		this.longestNanos = longest.toNanos();
		this.known = known;
		this.bansOnly = bansOnly;
	}

	/**
	 * Finds the answer to a request, or to a look. Shortly before the end of a rejection
	 * that would hold for longer, one request finds none, so that it asks and renews it.
	 * Otherwise all callers of a busy key would ask when it ends.
	 * @param now this process' time
	 * @return the rejection, counted down to now; {@code null} if nothing is known
	 */
	@Nullable RateLimitDecision find(String key, long permits, long now) {
		KnownKey found = this.known.find(key);
		if (found == null) {
			return null;
		}
		CachedRejection rejection = found.rejection();
		if (rejection == null) {
			return null;
		}
		if (rejection.isOfAnother(this)) {
			found.drop(rejection);
			return null;
		}
		return rejection.find(permits, now);
	}

	/**
	 * Remembers a decision, if it is a rejection that leaves no permits. Permits that are
	 * left may be taken meanwhile, and then the wait is longer.
	 * @param askedAt this process' time when the store was asked, which was not later
	 * than its decision
	 */
	void remember(String key, long permits, RateLimitDecision decision, long askedAt) {
		if (decision.allowed() || decision.remaining() > 0 || key.length() > KnownKey.LONGEST_KEY
				|| this.bansOnly && !decision.banned()) {
			return;
		}
		long unchanged = unchanged(decision);
		long nanos = Math.min(this.longestNanos, unchanged);
		if (nanos > 0) {
			long renewed = (unchanged > nanos) ? nanos - nanos / RENEWED_PART : nanos;
			this.known.findOrAdd(key, KnownKey::new)
				.reject(new CachedRejection(this, decision, permits, askedAt, askedAt + nanos, askedAt + renewed));
		}
	}

	/*
	 * The time for which the limits that reject will go on to do so.
	 */
	private static long unchanged(RateLimitDecision decision) {
		long nanos = Long.MAX_VALUE;
		for (LimitStatus limit : decision.limits()) {
			if (!limit.allowed()) {
				long retry = limit.retryAfterNanos();
				nanos = (retry != RateLimitDecision.NEVER) ? Math.min(nanos, retry) : nanos;
				long next = limit.nextPermitAfterNanos();
				nanos = (next > 0) ? Math.min(nanos, next) : nanos;
			}
		}
		return nanos;
	}

	/**
	 * Forgets a key's rejection, and does not remember an answer that was asked for until
	 * now.
	 * @param now this process' time
	 */
	void forget(String key, long now) {
		if (key.length() <= KnownKey.LONGEST_KEY) {
			this.known.findOrAdd(key, KnownKey::new).outdate(now);
		}
	}

}
