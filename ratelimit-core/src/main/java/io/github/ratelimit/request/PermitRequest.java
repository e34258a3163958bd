package io.github.ratelimit.request;

import java.util.List;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.policy.PolicyVersion;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks of one policy.
 *
 * @param version the numbers of the policy that decide
 * @param key who asks
 * @param permits how many permits the request costs
 * @param charge what the request is charged in the end, or {@code null} if what it costs
 * @since 0.1.0
 */
public record PermitRequest(PolicyVersion version, String key, long permits, @Nullable Charge charge) {

	/**
	 * Creates what a request asks of one policy that charges what it costs.
	 * @param version the numbers of the policy that decide
	 * @param key who asks
	 * @param permits how many permits the request costs
	 */
	public PermitRequest(PolicyVersion version, String key, long permits) {
		this(version, key, permits, null);
	}

	/**
	 * Creates what a request asks of one policy.
	 * @param limiter enforces the policy
	 * @param key who asks
	 * @param permits how many permits the request costs
	 * @return the question
	 */
	public static PermitRequest of(RateLimiter limiter, String key, long permits) {
		return new PermitRequest(StoreRateLimiter.of(limiter).version(key), key, permits);
	}

	/**
	 * Asks the policy, or gives {@code null} if there is more to it than that.
	 */
	Acquisition.@Nullable Entry askPlain() {
		return (this.charge == null && this.version.isPlain())
				? new Acquisition.Entry(this, this.version.decide(this.key, this.permits, false)) : null;
	}

	RateLimitSession.Question question(long longestWaitNanos) {
		boolean withoutDelay = this.version.longestDelayNanos() > longestWaitNanos;
		return this.version.question(this.key, this.permits, withoutDelay);
	}

	/**
	 * Enforces the policy.
	 * @return the limiter
	 */
	public StoreRateLimiter limiter() {
		return this.version.limiter();
	}

	boolean isSameState(PermitRequest other) {
		return this.key.equals(other.key) && isOfSamePolicy(other);
	}

	boolean isOfSamePolicy(PermitRequest other) {
		return this.version.limiter() == other.version.limiter();
	}

	/**
	 * The same question as that of two places.
	 * @param later what the later place asks of the same policy and key
	 */
	PermitRequest and(PermitRequest later) {
		return new PermitRequest(this.version, this.key, Math.max(this.permits, later.permits), later.charge);
	}

	/**
	 * Whether a policy may delay the request.
	 * @param requests what is asked of each policy
	 * @return {@code false} if none has a queue
	 */
	public static boolean mayDelay(List<PermitRequest> requests) {
		for (int i = 0; i < requests.size(); i++) {
			if (requests.get(i).version.longestDelayNanos() > 0) {
				return true;
			}
		}
		return false;
	}

	PermitRequest of(long permits) {
		return (permits == this.permits) ? this : new PermitRequest(this.version, this.key, permits, this.charge);
	}

}
