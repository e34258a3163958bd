package io.github.ratelimit.store;

/**
 * A question that stands for no request.
 *
 * @param decider decides for the policy
 * @param key the key that is limited
 * @param permits how many permits the request costs; 0 looks without taking
 * @param withoutDelay whether the request cannot wait
 */
record StoreQuestion(PolicyDecider decider, String key, long permits,
		boolean withoutDelay) implements RateLimitSession.Question {
}
