package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.KeyMemory;
import org.jspecify.annotations.Nullable;

/**
 * What the store has said of a policy's keys under certain limits. Until a rejected key
 * has permits again, the store would answer the same, so it need not be asked. Where this
 * process decides during an outage, it begins with the last answer about a key.
 */
final class RememberedAnswers {

	private static final int RENEWED_PART = 10;

	private final KeyMemory<KnownKey> known;

	private final long longestNanos;

	private final boolean bansOnly;

	private final boolean all;

	/**
	 * Creates the answers for a policy under certain limits. A limit that counts rejected
	 * requests must see them, and so must a ban that has not begun.
	 * @param policy the policy with these limits
	 * @param known the known keys of the policy, under whichever limits
	 * @param longest how long to remember a rejection at most, because it can be reset
	 * elsewhere
	 * @param all whether to remember the last answer about each key, for outages
	 */
	RememberedAnswers(RateLimitPolicy policy, KeyMemory<KnownKey> known, Duration longest, boolean all) {
		this.known = known;
		this.bansOnly = policy.ban() != null;
		boolean counted = policy.limits().stream().anyMatch(RateLimit::countRejected);
		this.longestNanos = (counted && !this.bansOnly) ? 0 : longest.toNanos();
		this.all = all;
	}

	/**
	 * Finds the answer to a request, or to a look. Shortly before the end of a rejection
	 * that would hold for longer, one request finds none, so that it asks and renews it.
	 * Otherwise all callers of a busy key would ask when it ends.
	 * @param now this process' time
	 * @return the rejection, counted down to now; {@code null} if nothing is known
	 */
	@Nullable RateLimitDecision find(String key, long permits, long now) {
		KnownKey found = (this.longestNanos > 0) ? this.known.find(key) : null;
		RememberedAnswer rejection = (found != null) ? found.rejection() : null;
		if (found == null || rejection == null) {
			return null;
		}
		if (!rejection.isOf(this)) {
			found.drop(rejection);
			return null;
		}
		return rejection.find(permits, now);
	}

	/**
	 * The last answer about a key, if it is known. It may have been given under other
	 * limits.
	 */
	@Nullable RememberedAnswer last(String key) {
		KnownKey found = this.known.find(key);
		return (found != null) ? found.last() : null;
	}

	/**
	 * Remembers an answer, unless it holds only for requests that cannot wait.
	 * @param askedAt this process' time when the store was asked, which was not later
	 * than its decision
	 */
	void remember(String key, long permits, boolean withoutDelay, RateLimitDecision decision, long askedAt) {
		if (key.length() > KnownKey.LONGEST_KEY || withoutDelay && (permits == 0 || decision.queueFull())) {
			return;
		}
		long unchanged = (permits > 0 && this.longestNanos > 0) ? unchanged(decision) : 0;
		if (unchanged <= 0 && !this.all) {
			return;
		}
		long nanos = Math.min(this.longestNanos, unchanged);
		long renewed = (unchanged > nanos) ? nanos - nanos / RENEWED_PART : nanos;
		RememberedAnswer answer = new RememberedAnswer(this, decision, permits, askedAt, askedAt + nanos,
				askedAt + renewed);
		KnownKey found = this.known.findOrAdd(key, KnownKey::new);
		if (nanos > 0) {
			found.reject(answer);
		}
		if (this.all) {
			found.last(answer);
		}
	}

	/*
	 * The time for which the limits that reject will go on to do so. A rejection that
	 * leaves permits may become longer, because they may be taken meanwhile.
	 */
	private long unchanged(RateLimitDecision decision) {
		if (decision.allowed() || decision.remaining() > 0 || this.bansOnly && !decision.banned()) {
			return 0;
		}
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
	 * Forgets a key's rejection, and does not remember one that was asked for until now.
	 * @param now this process' time
	 */
	void forgetRejection(String key, long now) {
		if (this.longestNanos > 0 && key.length() <= KnownKey.LONGEST_KEY) {
			this.known.findOrAdd(key, KnownKey::new).outdate(now);
		}
	}

	/**
	 * Forgets the last answer about a key, because the key was reset.
	 */
	void forgetLast(String key) {
		KnownKey found = this.known.find(key);
		if (found != null) {
			found.last(null);
		}
	}

}
