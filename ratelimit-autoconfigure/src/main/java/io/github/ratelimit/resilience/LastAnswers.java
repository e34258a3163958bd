package io.github.ratelimit.resilience;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.KeyMemory;
import org.jspecify.annotations.Nullable;

/**
 * The store's last answer about each of a policy's keys, under certain limits, for when
 * it can no longer be asked.
 */
final class LastAnswers {

	private final RateLimitClock clock;

	private final KeyMemory<KnownKey> known;

	/**
	 * Creates the answers for one policy.
	 * @param clock this process' time
	 * @param known the known keys of the policy
	 */
	LastAnswers(RateLimitClock clock, KeyMemory<KnownKey> known) {
		this.clock = clock;
		this.known = known;
	}

	/**
	 * Remembers a decision that the store has just made.
	 */
	void remember(String key, RateLimitDecision decision) {
		if (key.length() <= KnownKey.LONGEST_KEY) {
			this.known.findOrAdd(key, KnownKey::new).answer(new LastAnswer(this, decision, this.clock.nanos()));
		}
	}

	/**
	 * The last answer about a key, if it is known. It may have been given under other
	 * limits.
	 */
	@Nullable LastAnswer find(String key) {
		KnownKey found = this.known.find(key);
		return (found != null) ? found.answer() : null;
	}

	/**
	 * Forgets the last answer about a key, because the key was reset.
	 */
	void forget(String key) {
		KnownKey found = this.known.find(key);
		if (found != null) {
			found.answer(null);
		}
	}

}
