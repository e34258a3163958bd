package io.github.ratelimit.actuate;

import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.KeyNormalizer;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint that shows every policy, and each key's standing with it.
 */
@Endpoint(id = "ratelimits")
public final class RateLimitsEndpoint {

	private final RateLimiterRegistry limiter;

	private final String defaultKey;

	/**
	 * Creates the endpoint.
	 * @param limiter whose policies to show
	 * @param defaultKey what to show as the key of a policy that has none of its own
	 */
	public RateLimitsEndpoint(RateLimiterRegistry limiter, String defaultKey) {
		this.limiter = limiter;
		this.defaultKey = defaultKey;
	}

	/**
	 * Shows every policy.
	 * @return the policies, by name
	 */
	@ReadOperation
	public RateLimitsDescriptor rateLimits() {
		Map<String, PolicyDescriptor> policies = new TreeMap<>();
		this.limiter.policies()
			.forEach((policy) -> policies.put(policy.policy().name(), PolicyDescriptor.of(policy, this.defaultKey)));
		return new RateLimitsDescriptor(this.limiter.storeName(), policies);
	}

	/**
	 * Shows how a key stands with a policy, without touching it.
	 * @param policy the policy's name
	 * @param key the key's value, such as an address; of a policy whose key is a literal
	 * such as {@code 'global'}, the literal without its quotes; {@code address:} and an
	 * address is the key of a client whose own key came out empty
	 * @return the key's standing; that of a key that was never seen is as good as new;
	 * {@code null} if there is no such policy
	 */
	@ReadOperation
	public @Nullable KeyDescriptor key(@Selector String policy, String key) {
		RateLimiter found = this.limiter.find(policy);
		return (found != null) ? KeyDescriptor.of(found, asked(key)) : null;
	}

	/**
	 * Makes a key as good as new.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return the key's standing from now on; {@code null} if there is no such policy
	 */
	@DeleteOperation
	public @Nullable KeyDescriptor reset(@Selector String policy, String key) {
		RateLimiter found = this.limiter.find(policy);
		if (found == null) {
			return null;
		}
		String asked = asked(key);
		found.reset(asked);
		return KeyDescriptor.of(found, asked);
	}

	/*
	 * No request ever has an empty key, and to say that it stands well would mislead.
	 */
	private static String asked(String key) {
		if (key.isEmpty()) {
			throw new InvalidEndpointRequestException("The key is empty", "Give the key a value");
		}
		return KeyNormalizer.asked(key);
	}

	UnknownPolicyDescriptor unknown(String policy) {
		return UnknownPolicyDescriptor.of(policy,
				this.limiter.policies().stream().map((known) -> known.policy().name()).sorted().toList());
	}

	/**
	 * All policies.
	 *
	 * @param store where the states live
	 * @param policies the policies, by name
	 */
	public record RateLimitsDescriptor(String store,
			Map<String, PolicyDescriptor> policies) implements OperationResponseBody {
	}

}
