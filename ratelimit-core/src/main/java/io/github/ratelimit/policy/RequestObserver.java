package io.github.ratelimit.policy;

import java.util.function.UnaryOperator;

/**
 * Observes what callers ask of a policy, whichever numbers decide.
 *
 * @since 0.1.0
 */
public interface RequestObserver {

	/**
	 * Observes a request, whatever is decided on it.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 */
	void observe(String key, long permits);

	/**
	 * Observes that a request was rejected, or would have been.
	 * @param key the key that is limited
	 * @param hash hashes keys as the log does
	 */
	void observeRejection(String key, UnaryOperator<String> hash);

}
