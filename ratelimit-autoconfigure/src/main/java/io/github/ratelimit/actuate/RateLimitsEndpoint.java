package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.enforce.StoreRateLimiter;
import io.github.ratelimit.expression.CallExpressions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint that shows every policy and the state of each key, and resets keys.
 *
 * @since 0.1.0
 */
@Endpoint(id = "ratelimits")
public final class RateLimitsEndpoint {

	private final RateLimiterRegistry limiters;

	private final String defaultKey;

	private final UnaryOperator<String> addresses;

	/**
	 * Creates the endpoint.
	 * @param limiters the limiters whose policies are shown
	 * @param defaultKey the key that is shown for policies without a key of their own
	 * @param addresses writes a client's address as requests have it
	 */
	public RateLimitsEndpoint(RateLimiterRegistry limiters, String defaultKey, UnaryOperator<String> addresses) {
		this.limiters = limiters;
		this.defaultKey = defaultKey;
		this.addresses = addresses;
	}

	/**
	 * Shows every policy.
	 * @return the policies, by name
	 */
	@ReadOperation
	public RateLimitsDescriptor rateLimits() {
		Map<String, PolicyDescriptor> policies = new TreeMap<>();
		this.limiters.policies()
			.forEach((limiter) -> policies.put(limiter.policy().name(),
					PolicyDescriptor.of(limiter, keyOf(limiter.policy()))));
		return new RateLimitsDescriptor(this.limiters.storeName(), policies);
	}

	/**
	 * Shows the state of a key, without changing it.
	 * @param policy the policy's name
	 * @param key the key's value, such as an address; of a policy whose key is a literal
	 * such as {@code 'global'}, the literal without its quotes; {@code address:} and an
	 * address is the key of a client whose own key is empty
	 * @return the key's state, and the key as requests have it; a key that was never used
	 * has all its permits; {@code null} if there is no such policy
	 */
	@ReadOperation
	public @Nullable KeyDescriptor key(@Selector String policy, @Nullable String key) {
		RateLimiter limiter = this.limiters.find(policy);
		return (limiter != null) ? KeyDescriptor.of(limiter, stateKey(limiter, key)) : null;
	}

	/**
	 * Resets a key, so that it has all its permits.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return the key's new state; {@code null} if there is no such policy
	 */
	@DeleteOperation
	public @Nullable KeyDescriptor reset(@Selector String policy, @Nullable String key) {
		RateLimiter limiter = this.limiters.find(policy);
		if (limiter == null) {
			return null;
		}
		String stateKey = stateKey(limiter, key);
		limiter.reset(stateKey);
		return KeyDescriptor.of(limiter, stateKey);
	}

	/*
	 * No request has an empty key, so that its state would be misleading.
	 */
	private String stateKey(RateLimiter limiter, @Nullable String key) {
		if (key == null || key.isEmpty()) {
			throw new InvalidEndpointRequestException("The key is missing or empty", "Give the key a value");
		}
		boolean ownKeys = limiter instanceof StoreRateLimiter store && store.hasOwnKeys();
		return CallExpressions.stateKey(key, keyOf(limiter.policy()), ownKeys, this.addresses);
	}

	private String keyOf(RateLimitPolicy policy) {
		return (policy.key() != null) ? policy.key() : this.defaultKey;
	}

	UnknownPolicyDescriptor unknown(String policy) {
		return UnknownPolicyDescriptor.of(policy,
				this.limiters.policies().stream().map((known) -> known.policy().name()).sorted().toList());
	}

	/**
	 * Description of all policies.
	 *
	 * @param store the name of the store
	 * @param policies the policies, by name
	 */
	public record RateLimitsDescriptor(String store,
			Map<String, PolicyDescriptor> policies) implements OperationResponseBody {
	}

	/**
	 * Description of a policy.
	 *
	 * @param key the key expression
	 * @param limits the limits, which are decided together
	 * @param appliedTo the rules and methods that the policy is applied to; if there are
	 * none, only code that calls its limiter is limited
	 * @param requests the number of requests since the start, by outcome
	 * @param keys the number of keys that have a state, or {@code null} if the store
	 * cannot count them
	 * @param evictions the number of keys that were evicted while they still counted
	 * @param alias what the policy is called where clients are told short names
	 */
	public record PolicyDescriptor(String key, List<LimitDescriptor> limits, Collection<String> appliedTo,
			Map<String, Long> requests, @Nullable Long keys, long evictions, @Nullable String alias) {

		static PolicyDescriptor of(RateLimiter limiter, String key) {
			RateLimitPolicy policy = limiter.policy();
			Map<String, Long> requests = new TreeMap<>();
			for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
				requests.put(outcome.id(), limiter.count(outcome));
			}
			long keys = limiter.keys();
			return new PolicyDescriptor(key, policy.limits().stream().map(LimitDescriptor::of).toList(),
					limiter.appliedTo(), requests, (keys >= 0) ? keys : null, limiter.evictions(),
					(limiter instanceof StoreRateLimiter store) ? store.alias() : null);
		}

	}

	/**
	 * Description of a limit. Numbers that the algorithm does not use are {@code null}.
	 *
	 * @param algorithm the algorithm's name, as in configuration files
	 * @param limit the permits per window
	 * @param window the window in seconds
	 * @param burst the token bucket's capacity, or the number of requests that may wait
	 * in the leaky bucket
	 * @param delay the number of the leaky bucket's burst that need not wait
	 * @param nodelay whether no request waits in the leaky bucket
	 * @param countRejected whether the sliding window log counts rejected requests
	 */
	public record LimitDescriptor(String algorithm, long limit, BigDecimal window, @Nullable Long burst,
			@Nullable Long delay, @Nullable Boolean nodelay, @Nullable Boolean countRejected) {

		static LimitDescriptor of(RateLimit limit) {
			RateLimitAlgorithm algorithm = limit.algorithm();
			boolean leaky = algorithm == RateLimitAlgorithm.LEAKY_BUCKET;
			boolean bucket = leaky || algorithm == RateLimitAlgorithm.TOKEN_BUCKET;
			return new LimitDescriptor(algorithm.id(), limit.limit(), DurationText.seconds(limit.window()),
					bucket ? limit.burst() : null, leaky ? limit.delay() : null, leaky ? limit.nodelay() : null,
					(algorithm == RateLimitAlgorithm.SLIDING_WINDOW_LOG) ? limit.countRejected() : null);
		}

	}

	/**
	 * Description of a key of a policy.
	 *
	 * @param policy the policy's name
	 * @param key the key, as requests have it
	 * @param standing the key's state under all limits together
	 * @param limits the key's state under each limit
	 */
	public record KeyDescriptor(String policy, String key, KeyStatus standing,
			List<LimitStandingDescriptor> limits) implements OperationResponseBody {

		static KeyDescriptor of(RateLimiter limiter, String key) {
			RateLimitStanding look = limiter.peek(key);
			List<RateLimit> limits = limiter.policy().limits();
			List<? extends LimitStanding> looks = look.limits();
			return new KeyDescriptor(limiter.policy().name(), key, KeyStatus.of(look),
					IntStream.range(0, Math.min(limits.size(), looks.size()))
						.mapToObj((i) -> new LimitStandingDescriptor(LimitDescriptor.of(limits.get(i)),
								KeyStatus.of(looks.get(i))))
						.toList());
		}

	}

	/**
	 * State of a key under one limit.
	 *
	 * @param limit the limit
	 * @param standing the key's state
	 */
	public record LimitStandingDescriptor(LimitDescriptor limit, KeyStatus standing) {
	}

	/**
	 * State of a key.
	 *
	 * @param remaining the number of requests of one permit that would be allowed now
	 * @param nextPermitAfter the seconds until {@code remaining} next grows; zero if it
	 * cannot grow
	 * @param resetAfter the seconds until the key has all its permits; zero if it has
	 */
	public record KeyStatus(long remaining, BigDecimal nextPermitAfter, BigDecimal resetAfter) {

		static KeyStatus of(LimitStanding look) {
			return new KeyStatus(look.remaining(), DurationText.seconds(look.nextPermitAfter()),
					DurationText.seconds(look.resetAfter()));
		}

	}

	/**
	 * Answer to a request for a policy that does not exist.
	 *
	 * @param message the mistake
	 * @param policies the names of the policies that exist
	 */
	record UnknownPolicyDescriptor(String message, List<String> policies) implements OperationResponseBody {

		static UnknownPolicyDescriptor of(String policy, List<String> known) {
			String message = "There is no rate limit policy named '" + policy + "'. "
					+ Suggestion.question(policy, known);
			return new UnknownPolicyDescriptor(message.strip(), known);
		}

	}

}
