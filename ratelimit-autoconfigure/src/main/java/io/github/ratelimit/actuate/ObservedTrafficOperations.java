package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.advice.RejectedKey;
import io.github.ratelimit.policy.StoreRateLimiter;
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

	/**
	 * Description of the keys that a policy rejected most.
	 *
	 * @param policy the policy's name
	 * @param keys the keys, most rejected first
	 */
	record RejectedKeysDescriptor(String policy, List<RejectedKey> keys) implements OperationResponseBody {

		static RejectedKeysDescriptor of(String policy, List<RejectedKey> keys, boolean showsKeys) {
			return new RejectedKeysDescriptor(policy,
					showsKeys ? keys
							: keys.stream()
								.map((key) -> new RejectedKey(null, key.hash(), key.rejected(), key.error()))
								.toList());
		}

	}

	/**
	 * Description of what other limits would have done to the traffic of a policy. Times
	 * are in seconds, and shares from 0 to 1.
	 *
	 * @param policy the policy's name
	 * @param since when the observation began
	 * @param seconds how long it has lasted
	 * @param callers the number of callers
	 * @param requests the number of requests
	 * @param sampledCallers how many callers were sampled
	 * @param curves the rates, with what each burst would have rejected
	 * @param suggestion the limit to try, or {@code null} if there is none
	 * @param missing what keeps a limit from being suggested
	 */
	record AdviceDescriptor(String policy, Instant since, long seconds, long callers, long requests, int sampledCallers,
			List<CurveDescriptor> curves, @Nullable SuggestionDescriptor suggestion,
			List<String> missing) implements OperationResponseBody {

		static AdviceDescriptor of(String policy, Advice advice) {
			return new AdviceDescriptor(policy, advice.since(), advice.time().toSeconds(), advice.callers(),
					advice.requests(), advice.sampledCallers(),
					advice.curves().stream().map(CurveDescriptor::of).toList(),
					(advice.suggestion() != null) ? SuggestionDescriptor.of(advice.suggestion()) : null,
					advice.missing());
		}

		/**
		 * Description of a rate.
		 *
		 * @param limit the permits per window
		 * @param window the window
		 * @param points what each burst would have rejected
		 */
		record CurveDescriptor(long limit, BigDecimal window, List<Advice.Point> points) {

			static CurveDescriptor of(Advice.Curve curve) {
				return new CurveDescriptor(curve.limit(), DurationText.seconds(curve.window()), curve.points());
			}

		}

		/**
		 * Description of a limit to try.
		 *
		 * @param limit the permits per window
		 * @param window the window
		 * @param burst the token bucket's capacity
		 * @param callers the share of callers that would have been rejected
		 * @param requests the share of requests that would have been rejected
		 * @param text the numbers in words
		 * @param yaml the policy in shadow
		 * @param doubts why the numbers may not hold
		 */
		record SuggestionDescriptor(long limit, BigDecimal window, long burst, double callers, double requests,
				String text, String yaml, List<String> doubts) {

			static SuggestionDescriptor of(Advice.Suggestion suggestion) {
				return new SuggestionDescriptor(suggestion.limit(), DurationText.seconds(suggestion.window()),
						suggestion.burst(), suggestion.callers(), suggestion.requests(), suggestion.text(),
						suggestion.yaml(), suggestion.doubts());
			}

		}

	}

}
