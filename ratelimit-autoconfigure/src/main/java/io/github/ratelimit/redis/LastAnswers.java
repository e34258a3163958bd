package io.github.ratelimit.redis;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * One policy's states in Redis, and what they last said of each key, for when they can no
 * longer be asked.
 * <p>
 * Remembers a fixed number of keys. Where two need one place, the later one has it.
 */
final class LastAnswers implements RateLimitStates {

	private static final int PLACES = 1 << 14;

	private static final int LONGEST_KEY = 512;

	private final AtomicReferenceArray<@Nullable Answer> answers = new AtomicReferenceArray<>(PLACES);

	private final RateLimitStates redis;

	private final RateLimitClock clock;

	LastAnswers(RateLimitStates redis, RateLimitClock clock) {
		this.redis = redis;
		this.clock = clock;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		RateLimitDecision decision = this.redis.decide(key, permits);
		if (key.length() <= LONGEST_KEY) {
			this.answers.setRelease(place(key), new Answer(key, decision, this.clock.nanos()));
		}
		return decision;
	}

	/**
	 * What was last said of a key, if it is known.
	 */
	@Nullable Answer find(String key) {
		Answer answer = this.answers.getAcquire(place(key));
		return (answer != null && answer.key.equals(key)) ? answer : null;
	}

	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
		this.redis.giveBack(key, permits, given);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * What is known is out of date even if Redis cannot be told.
	 */
	@Override
	public void reset(String key) {
		try {
			this.redis.reset(key);
		}
		finally {
			this.answers.set(place(key), null);
		}
	}

	private static int place(String key) {
		int hash = key.hashCode();
		return (hash ^ hash >>> 16) & (PLACES - 1);
	}

	/**
	 * What was said of a key, until somebody has made use of it.
	 */
	static final class Answer {

		private final String key;

		private final RateLimitDecision decision;

		private final long answeredAt;

		private volatile boolean used;

		Answer(String key, RateLimitDecision decision, long answeredAt) {
			this.key = key;
			this.decision = decision;
			this.answeredAt = answeredAt;
		}

		long answeredAt() {
			return this.answeredAt;
		}

		/**
		 * Makes use of the answer once. Others wait until that is done.
		 */
		void useOnce(Consumer<RateLimitDecision> use) {
			if (!this.used) {
				useFirst(use);
			}
		}

		private synchronized void useFirst(Consumer<RateLimitDecision> use) {
			if (!this.used) {
				use.accept(this.decision);
				this.used = true;
			}
		}

	}

}
