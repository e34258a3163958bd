package io.github.ratelimit.redis;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * What Redis last said of each of a policy's keys, for when it can no longer be asked.
 * <p>
 * Remembers a fixed number of keys. Where two need one place, the later one has it.
 */
final class LastAnswers {

	private static final int PLACES = 1 << 14;

	private static final int LONGEST_KEY = 512;

	private final AtomicReferenceArray<@Nullable Answer> answers = new AtomicReferenceArray<>(PLACES);

	private final RateLimitClock clock;

	LastAnswers(RateLimitClock clock) {
		this.clock = clock;
	}

	/**
	 * Remembers a decision that Redis has just made.
	 */
	void remember(String key, RateLimitDecision decision) {
		if (key.length() <= LONGEST_KEY) {
			this.answers.setRelease(place(key), new Answer(key, decision, this.clock.nanos()));
		}
	}

	/**
	 * What was last said of a key, if it is known.
	 */
	@Nullable Answer find(String key) {
		Answer answer = this.answers.getAcquire(place(key));
		return (answer != null && answer.key.equals(key)) ? answer : null;
	}

	/**
	 * Forgets what was said of a key, because it has been reset.
	 */
	void forget(String key) {
		this.answers.set(place(key), null);
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
