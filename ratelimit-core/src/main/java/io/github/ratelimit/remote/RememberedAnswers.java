package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * The answers that the store has given about a policy's keys under certain limits. Until
 * a rejected key has permits again, the store would answer the same, so it need not be
 * asked. Where this process decides during an outage, it begins with the last answer
 * about a key.
 */
final class RememberedAnswers {

	/**
	 * A key that is longer is not remembered: one that code asks with may have any
	 * length.
	 */
	static final int MAX_REMEMBERED_LENGTH = 2 * RateLimiter.MAX_KEY_LENGTH;

	private static final int RENEWED_PART = 10;

	/*
	 * The bytes of a key and of its answer, where references are not compressed.
	 */
	private static final long BYTES = 40 + 72 + 16;

	private static final long BYTES_OF_DECISION = 80;

	private static final long BYTES_OF_ARRAY = 24;

	private final KeyMemory<Known> memory;

	private final long maxNanos;

	private final boolean bansOnly;

	private final boolean inShadow;

	private final boolean all;

	/**
	 * Creates the answers for a policy under certain limits. A limit that counts rejected
	 * requests must see them, and so must a ban that has not begun.
	 * @param policy the policy with these limits
	 * @param memory what is known of the policy's keys, under whichever limits
	 * @param max how long to remember a rejection at most, because it can be reset
	 * elsewhere
	 * @param all whether to remember the last answer about each key, for outages
	 */
	RememberedAnswers(RateLimitPolicy policy, KeyMemory<Known> memory, Duration max, boolean all) {
		this.memory = memory;
		this.bansOnly = policy.ban() != null;
		this.inShadow = policy.mode() == RateLimitMode.SHADOW;
		this.all = all;
		boolean counted = policy.limits().stream().anyMatch(RateLimit::countRejected);
		this.maxNanos = (counted && !this.bansOnly) ? 0 : max.toNanos();
	}

	/**
	 * How many bytes of the heap a key takes at most.
	 * @param limits the number of the policy's limits, each of which decides
	 */
	static long bytes(int limits) {
		long bytes = BYTES + BYTES_OF_DECISION;
		if (limits > 1) {
			bytes += BYTES_OF_ARRAY + limits * (Long.BYTES + BYTES_OF_DECISION);
		}
		return bytes;
	}

	/**
	 * Finds the answer to a request, or to a look. Shortly before the end of a rejection
	 * that would hold for longer, one request finds none, so that it asks and renews it.
	 * Otherwise all callers of a busy key would ask when it ends.
	 * @param now this process' time
	 * @return the rejection, counted down to now; {@code null} if nothing is known
	 */
	@Nullable RateLimitDecision find(String key, long permits, long now) {
		Known known = (this.maxNanos > 0) ? this.memory.find(key) : null;
		Answer last = (known != null) ? known.last : null;
		if (known == null || last == null) {
			return null;
		}

		if (!last.isOf(this)) {
			// these limits may soon be those of before again, and others have decided
			// meanwhile
			known.outdate(last.askedAt);
			return null;
		}
		if (last.askedAt <= known.outdatedAt || !last.holds(permits, now)) {
			return null;
		}
		if (permits > 0 && last.takeRenewal(now)) {
			return null;
		}
		return last.present(permits, now);
	}

	/**
	 * The last answer about a key, if it is known. It may have been given under other
	 * limits.
	 */
	@Nullable Answer last(String key) {
		Known known = this.memory.find(key);
		return (known != null) ? known.last : null;
	}

	/**
	 * Remembers an answer, unless it holds only for requests that cannot wait.
	 * @param askedAt this process' time when the store was asked, which was not later
	 * than its decision
	 */
	void remember(String key, long permits, boolean withoutDelay, RateLimitDecision decision, long askedAt) {
		if (withoutDelay && (permits == 0 || decision.queueFull())) {
			return;
		}
		if (key.length() > MAX_REMEMBERED_LENGTH) {
			return;
		}

		long unchanged = (permits > 0 && this.maxNanos > 0) ? unchangedNanos(decision) : 0;
		if (unchanged <= 0 && !this.all) {
			return;
		}
		this.memory.findOrAdd(key, Known::new).replaceLast(new Answer(decision, permits, askedAt, unchanged));
	}

	/*
	 * The time for which the limits that reject will go on to do so. A rejection that
	 * leaves permits may become longer, because they may be taken meanwhile.
	 */
	private long unchangedNanos(RateLimitDecision decision) {
		if (decision.allowed() || decision.remaining() > 0) {
			return 0;
		}
		if (this.bansOnly && !decision.banned()) {
			return 0;
		}

		long nanos = Long.MAX_VALUE;
		for (LimitStatus limit : decision.limits()) {
			if (!limit.allowed()) {
				nanos = Math.min(nanos, unchangedNanos(limit));
			}
		}
		return nanos;
	}

	private static long unchangedNanos(LimitStatus limit) {
		long nanos = Long.MAX_VALUE;
		if (limit.retryAfterNanos() != LimitStatus.NEVER) {
			nanos = limit.retryAfterNanos();
		}
		if (limit.nextPermitAfterNanos() > 0) {
			nanos = Math.min(nanos, limit.nextPermitAfterNanos());
		}
		return nanos;
	}

	/**
	 * Forgets a key's rejection, and does not remember one that was asked for until now.
	 * @param now this process' time
	 */
	void forgetRejection(String key, long now) {
		if (this.maxNanos > 0 && key.length() <= MAX_REMEMBERED_LENGTH) {
			this.memory.findOrAdd(key, Known::new).outdate(now);
		}
	}

	/**
	 * Forgets all about a key, because it was reset, and remembers nothing that was asked
	 * for until now.
	 * @param now this process' time
	 */
	void forget(String key, long now) {
		if (key.length() <= MAX_REMEMBERED_LENGTH) {
			this.memory.findOrAdd(key, Known::new).reset(now);
		}
	}

	/**
	 * The knowledge of one key.
	 */
	static final class Known {

		private volatile @Nullable Answer last;

		/* Rejections that were asked for until then no longer hold. */
		private volatile long outdatedAt = Long.MIN_VALUE;

		private volatile long resetAt = Long.MIN_VALUE;

		/*
		 * An answer from before a reset may come after it.
		 */
		private void replaceLast(Answer answer) {
			this.last = answer;
			if (answer.askedAt <= this.resetAt) {
				this.last = null;
			}
		}

		private void reset(long now) {
			outdate(now);
			synchronized (this) {
				this.resetAt = Math.max(this.resetAt, now);
			}
			this.last = null;
		}

		/*
		 * Callers may come in another order than that in which they read the time. Nearly
		 * always somebody has said so already.
		 */
		private void outdate(long askedAt) {
			if (askedAt <= this.outdatedAt) {
				return;
			}
			synchronized (this) {
				this.outdatedAt = Math.max(this.outdatedAt, askedAt);
			}
		}

	}

	/**
	 * An answer of the store about a key: what it would answer again for a time, if it is
	 * a rejection, and what the first decision of an outage begins with.
	 */
	final class Answer {

		final RateLimitDecision decision;

		private final long permits;

		private final long askedAt;

		/*
		 * The time until which the store would answer the same. An answer that it might
		 * not give again ends before all time: a request that has read the time before
		 * the store was asked, and was held up since, would be given it otherwise.
		 */
		private final long end;

		/* The time from which on one request is to ask again. */
		private final long renewal;

		private final AtomicBoolean renewing = new AtomicBoolean();

		private volatile boolean used;

		private Answer(RateLimitDecision decision, long permits, long askedAt, long unchanged) {
			long nanos = Math.min(RememberedAnswers.this.maxNanos, unchanged);
			long renewedNanos = (unchanged > nanos) ? nanos / RENEWED_PART : 0;
			this.decision = decision;
			this.permits = permits;
			this.askedAt = askedAt;
			this.end = (nanos > 0) ? askedAt + nanos : Long.MIN_VALUE;
			this.renewal = this.end - renewedNanos;
		}

		/**
		 * Whether it was given under certain limits.
		 */
		boolean isOf(RememberedAnswers answers) {
			return RememberedAnswers.this == answers;
		}

		private boolean holds(long permits, long now) {
			boolean same = permits == 0 || permits == this.permits || this.decision.banned();
			return now < this.end && same;
		}

		/*
		 * Lets the first request ask again that comes when the answer is to be renewed.
		 */
		private boolean takeRenewal(long now) {
			return now >= this.renewal && this.renewing.compareAndSet(false, true);
		}

		private RateLimitDecision present(long permits, long now) {
			RateLimitDecision present = RateLimitDecisions.after(this.decision, age(now));
			if (permits == 0) {
				return RateLimitDecisions.asLook(present);
			}
			return present;
		}

		/**
		 * How long ago the store was asked.
		 */
		long age(long now) {
			return Math.max(0, now - this.askedAt);
		}

		/**
		 * How long the key is banned yet, where the policy is enforced.
		 * @return nanoseconds, not positive if it is not
		 */
		long bannedNanos(long now) {
			if (RememberedAnswers.this.inShadow || !this.decision.banned()) {
				return 0;
			}
			return this.decision.resetAfterNanos() - age(now);
		}

		/**
		 * Uses the answer once. Other callers wait until that is done.
		 */
		void useOnce(Runnable use) {
			if (!this.used) {
				synchronized (this) {
					if (!this.used) {
						use.run();
						this.used = true;
					}
				}
			}
		}

	}

}
