package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * What one policy's callers were denied lately. Until a key has something to give again,
 * asking again can only be told the same, so it need not be asked.
 * <p>
 * Holds a fixed number of denials. Where two keys need one place, the later one has it,
 * and the other is asked for again.
 */
final class RememberedDenials {

	private static final int PLACES = 1 << 12;

	private static final int LONGEST_KEY = 512;

	private static final int RENEWED_PART = 10;

	private final AtomicReferenceArray<Denial> denials = new AtomicReferenceArray<>(PLACES);

	private final long longestNanos;

	/**
	 * Creates an empty memory.
	 * @param longest how long to remember a denial at most, because it can be reset
	 * elsewhere
	 */
	RememberedDenials(Duration longest) {
		this.longestNanos = longest.toNanos();
	}

	/**
	 * Finds what a request would be told, or a look. Shortly before the end of what could
	 * be remembered for longer, one request is told nothing, so that it asks and renews
	 * it; otherwise all who hammer the key would ask when it ends.
	 * @param now this process' time
	 * @return the denial, counted down to now; {@code null} if nothing is known
	 */
	@Nullable RateLimitDecision find(String key, long permits, long now) {
		Denial denial = this.denials.get(place(key));
		if (denial == null || now >= denial.end() || !denial.key().equals(key)) {
			return null;
		}
		RateLimitDecision decision = denial.decision();
		if (decision == null || permits != 0 && (permits != denial.permits() || denial.isToBeRenewed(now))) {
			return null;
		}
		RateLimitDecision present = decision.after(Math.max(0, now - denial.askedAt()));
		return (permits != 0) ? present : present.asLook();
	}

	/**
	 * Remembers a decision, if it is a denial that leaves nothing to take. What is left
	 * somebody else may take meanwhile, and then the wait is longer.
	 * @param askedAt this process' time when Redis was asked, which was not later than
	 * its decision
	 */
	void remember(String key, long permits, RateLimitDecision decision, long askedAt) {
		if (decision.allowed() || decision.remaining() > 0 || key.length() > LONGEST_KEY) {
			return;
		}
		long unchanged = unchanged(decision);
		long nanos = Math.min(this.longestNanos, unchanged);
		long renewed = (unchanged > nanos) ? nanos - nanos / RENEWED_PART : nanos;
		int place = place(key);
		Denial before = this.denials.get(place);
		if (nanos > 0 && (before == null || !before.outdates(askedAt))) {
			this.denials.compareAndSet(place, before, new Denial(key, permits, decision, askedAt, askedAt + nanos,
					askedAt + renewed, new AtomicBoolean()));
		}
	}

	/*
	 * The time for which the limits that deny will say the same.
	 */
	private static long unchanged(RateLimitDecision decision) {
		long nanos = Long.MAX_VALUE;
		for (RateLimitDecision limit : decision.limits()) {
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
	 * Forgets what a key was told, and does not remember what was asked until now.
	 * @param now this process' time
	 */
	void forget(String key, long now) {
		this.denials.set(place(key), new Denial(key, 0, null, now, now, now, new AtomicBoolean()));
	}

	private static int place(String key) {
		int hash = key.hashCode();
		return (hash ^ hash >>> 16) & (PLACES - 1);
	}

	/*
	 * Without a decision, all that was asked until then is out of date.
	 */
	private record Denial(String key, long permits, @Nullable RateLimitDecision decision, long askedAt, long end,
			long renewal, AtomicBoolean renewing) {

		boolean isToBeRenewed(long now) {
			return now >= this.renewal && this.renewing.compareAndSet(false, true);
		}

		boolean outdates(long asked) {
			return this.decision == null && asked <= this.askedAt;
		}

	}

}
