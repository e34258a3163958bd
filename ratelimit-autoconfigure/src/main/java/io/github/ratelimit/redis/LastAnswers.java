package io.github.ratelimit.redis;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.KeyMemory;
import org.jspecify.annotations.Nullable;

/**
 * What Redis last said of each of a policy's keys, for when it can no longer be asked.
 */
final class LastAnswers {

	private final RateLimitClock clock;

	private final KeyMemory<KnownKey> known;

	/**
	 * Creates the answers for one policy.
	 * @param clock this process' time
	 * @param known what is known of the policy's keys
	 */
	LastAnswers(RateLimitClock clock, KeyMemory<KnownKey> known) {
		this.clock = clock;
		this.known = known;
	}

	/**
	 * Remembers a decision that Redis has just made.
	 */
	void remember(String key, RateLimitDecision decision) {
		if (key.length() <= KnownKey.LONGEST_KEY) {
			this.known.findOrAdd(key, KnownKey::new).answer(new Answer(decision, this.clock.nanos()));
		}
	}

	/**
	 * What was last said of a key, if it is known.
	 */
	@Nullable Answer find(String key) {
		KnownKey found = this.known.find(key);
		return (found != null) ? found.answer() : null;
	}

	/**
	 * Forgets what was said of a key, because it has been reset.
	 */
	void forget(String key) {
		KnownKey found = this.known.find(key);
		if (found != null) {
			found.answer(null);
		}
	}

}
