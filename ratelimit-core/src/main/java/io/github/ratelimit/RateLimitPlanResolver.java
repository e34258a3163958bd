package io.github.ratelimit;

import org.jspecify.annotations.Nullable;

/**
 * Strategy that says in code which plan a caller has. A bean of this type is asked for
 * the keys of each policy that has {@link RateLimitPolicy#plans() plans} and no
 * {@link RateLimitPolicy#plan() plan} expression.
 * <p>
 * It may take its time, such as for a query: it is called on a background thread, where
 * no request, user or transaction is bound, at most once for each policy and key in
 * {@code ratelimit.plans.refresh}. Requests go on with the last answer meanwhile, and
 * wait for the first one no longer than {@code ratelimit.plans.timeout}. If it fails, the
 * last answer holds, or the policy's own limits do; a key without an answer is asked for
 * again sooner. Set a time-out in the client that it uses: a question that hangs keeps
 * one of the policy's four threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RateLimitPlanResolver {

	/**
	 * Finds the plan of a key.
	 * @param policy the policy
	 * @param key the key that is limited, such as a user's name; longer ones than 256
	 * characters are hashed
	 * @return the name of one of the policy's plans; {@code null} or an empty text for
	 * the policy's own limits
	 * @throws Exception for any reason; the last answer holds then
	 */
	@Nullable String resolvePlan(RateLimitPolicy policy, String key) throws Exception;

}
