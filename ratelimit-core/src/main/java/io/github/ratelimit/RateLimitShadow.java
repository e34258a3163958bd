package io.github.ratelimit;

/**
 * What became of the decisions that a policy makes in {@link RateLimitMode#SHADOW
 * shadow}: what enforcement with these numbers would have done.
 *
 * @since 0.1.0
 * @see RateLimiter#shadow()
 */
public interface RateLimitShadow {

	/**
	 * The policy that decides, with the numbers that are tried.
	 * @return the limiter's own policy, if that is in shadow; otherwise the policy of its
	 * {@link RateLimitPolicy#shadow() shadow limits}
	 */
	RateLimitPolicy policy();

	/**
	 * How many requests would have had an outcome.
	 * @param outcome the outcome to count
	 * @return the number since the start
	 */
	long count(RateLimitOutcome outcome);

	/**
	 * How many different keys would have been rejected.
	 * @return the number since the start: up to a thousand exactly, more with a standard
	 * error of 3.1 %
	 */
	long rejectedKeys();

	/**
	 * How many decisions were not made, because the store could not be asked, or too many
	 * were under way.
	 * @return the number since the start
	 */
	long dropped();

}
