package io.github.ratelimit.policy;

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

}
