package io.github.ratelimit;

import java.time.Instant;

/**
 * Tells that a key has used a share of a limit, of which its policy
 * {@link RateLimitPolicy#warnAt() warns}. Also a Spring application event, where there is
 * Spring.
 * <p>
 * A fixed window, also of a calendar, crosses each share once, over all instances, unless
 * permits that were refunded are taken again. Any other limit is told of at most once in
 * the time of its window, by each instance.
 *
 * @param policy the policy, with the limits that the key has: its own, or those of a plan
 * or an override
 * @param key the key that is limited; it comes from the client, so keep it out of metrics
 * and escape it in logs
 * @param limit which of the policy's limits the key has used
 * @param share how much of the limit's capacity the key has used at least, in percent,
 * from 1 to 100
 * @param resetAt when the key has all permits of the limit again, if it takes no more; of
 * a fixed window, its end
 * @since 0.1.0
 * @see RateLimitListener#onThreshold(RateLimitThresholdEvent)
 */
public record RateLimitThresholdEvent(RateLimitPolicy policy, String key, RateLimit limit, int share, Instant resetAt) {

	/**
	 * Describes the event without its key, so that it can be logged.
	 */
	@Override
	public String toString() {
		return "A key has used " + this.share + "% of the limit " + this.limit + " of the rate limit policy '"
				+ this.policy.name() + "', until " + this.resetAt;
	}

}
