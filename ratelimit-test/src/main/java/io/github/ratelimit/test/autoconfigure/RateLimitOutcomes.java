package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

/**
 * Forces the outcomes of requests, for tests of what an application makes of them: its
 * error page, its listeners, its clients. Only the store's answer is forced; all that
 * follows from it is what happens in production. What is forced holds until the test
 * method ends.
 *
 * @since 0.1.0
 * @see AutoConfigureRateLimit
 */
public final class RateLimitOutcomes {

	private static final Duration WAIT = Duration.ofMinutes(1);

	/* Really waited for. */
	private static final Duration DELAY = Duration.ofMillis(1);

	private final Map<String, ForcedOutcome> forced = new ConcurrentHashMap<>();

	private volatile @Nullable ForcedOutcome forcedOfAll;

	private final ObjectProvider<RateLimiterRegistry> registry;

	RateLimitOutcomes(ObjectProvider<RateLimiterRegistry> registry) {
		this.registry = registry;
	}

	/**
	 * Forces the outcome of every request to a policy, with a delay of a millisecond, or
	 * a minute until a rejected client may come back.
	 * @param policy the policy's name
	 * @param outcome what becomes of requests
	 * @throws IllegalArgumentException if there is no such policy, or it has no such
	 * outcome
	 */
	public void force(String policy, RateLimitOutcome outcome) {
		force(policy, outcome, defaultTime(outcome));
	}

	/**
	 * Forces the outcome of every request to a policy.
	 * @param policy the policy's name
	 * @param outcome what becomes of requests
	 * @param time how long a delay is, which is waited for, or how long it takes until a
	 * rejected client may come back
	 * @throws IllegalArgumentException if there is no such policy, or it has no such
	 * outcome
	 */
	public void force(String policy, RateLimitOutcome outcome, Duration time) {
		RateLimitPolicy known = policy(policy);
		if ((outcome == RateLimitOutcome.DELAYED || outcome == RateLimitOutcome.QUEUE_FULL) && !known.delays()) {
			throw new IllegalArgumentException("The policy '" + policy
					+ "' neither delays a request nor has a full queue, because it has neither a leaky bucket with a "
					+ "queue nor a max-wait, or is in shadow");
		}
		if (outcome == RateLimitOutcome.EXCEEDED && known.mode() != RateLimitMode.INFORM) {
			throw new IllegalArgumentException("The policy '" + policy
					+ "' lets nothing pass that exceeds it, because its mode is " + known.mode().id());
		}
		this.forced.put(policy, outcome(outcome, time));
	}

	/**
	 * Forces the outcome of every request to any policy for which no other is forced,
	 * with a delay of a millisecond, or a minute until a rejected client may come back.
	 * @param outcome what becomes of requests; a policy that lets no request wait allows
	 * one that others delay, and rejects it where their queues are full
	 */
	public void forceAll(RateLimitOutcome outcome) {
		forceAll(outcome, defaultTime(outcome));
	}

	/**
	 * Forces the outcome of every request to any policy for which no other is forced.
	 * @param outcome what becomes of requests; a policy that lets no request wait allows
	 * one that others delay, and rejects it where their queues are full
	 * @param time how long a delay is, which is waited for, or how long it takes until a
	 * rejected client may come back
	 */
	public void forceAll(RateLimitOutcome outcome, Duration time) {
		registry();
		this.forcedOfAll = outcome(outcome, time);
	}

	/**
	 * Has the store decide again.
	 */
	public void release() {
		this.forcedOfAll = null;
		this.forced.clear();
	}

	@Nullable ForcedOutcome of(String policy) {
		ForcedOutcome own = this.forced.get(policy);
		return (own != null) ? own : this.forcedOfAll;
	}

	private RateLimiterRegistry registry() {
		RateLimiterRegistry registry = this.registry.getIfAvailable();
		if (registry instanceof StoreRateLimiterRegistry ours && ours.store() instanceof ForcedStore) {
			return registry;
		}

		String reason = "the test has no store, or a mock in its place";
		if (registry instanceof StoreRateLimiterRegistry ours && ours.storeName().equals("none")) {
			reason = "rate limits are turned off in this test";
		}
		throw new IllegalStateException("No outcome can be forced, because " + reason);
	}

	/* A test fails with the message, and shows nothing else. */
	private RateLimitPolicy policy(String name) {
		try {
			return registry().policy(name).policy();
		}
		catch (InvalidRateLimitException ex) {
			throw new IllegalArgumentException(ex.getMessage() + ". " + ex.action(), ex);
		}
	}

	private static Duration defaultTime(RateLimitOutcome outcome) {
		return (outcome == RateLimitOutcome.DELAYED) ? DELAY : WAIT;
	}

	private static ForcedOutcome outcome(RateLimitOutcome outcome, Duration time) {
		if (outcome == RateLimitOutcome.RETURNED) {
			throw new IllegalArgumentException("Permits are returned because another policy rejects; force that");
		}
		if (time.isNegative() || time.isZero()) {
			throw new IllegalArgumentException("The time must be positive, not " + time);
		}
		return new ForcedOutcome(outcome, time.toNanos());
	}

}
