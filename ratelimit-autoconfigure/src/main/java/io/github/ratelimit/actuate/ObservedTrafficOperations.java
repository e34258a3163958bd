package io.github.ratelimit.actuate;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.enforce.StoreRateLimiter;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint tells of the traffic that policies have seen.
 */
final class ObservedTrafficOperations {

	private final RateLimiterRegistry limiters;

	ObservedTrafficOperations(RateLimiterRegistry limiters) {
		this.limiters = limiters;
	}

	/**
	 * Reads what is observed.
	 * @param policy the policy's name
	 * @param word what to read, {@code advice} or {@code rejected}
	 * @param showsKeys whether the caller may see keys
	 * @return the answer, or {@code null} if there is no such policy or word, or nothing
	 * is observed
	 */
	@Nullable OperationResponseBody get(String policy, String word, boolean showsKeys) {
		ObservedTraffic traffic = (this.limiters.find(policy) instanceof StoreRateLimiter limiter) ? limiter.traffic()
				: null;
		if (traffic == null) {
			return null;
		}
		return switch (word) {
			case "advice" -> AdviceDescriptor.of(policy, traffic.advice());
			case "rejected" -> RejectedKeysDescriptor.of(policy, traffic.rejectedKeys(), showsKeys);
			default -> null;
		};
	}

}
