package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which policies limit the calls of chat models: what {@code ratelimit-spring-ai} reads.
 *
 * @param policy Policy that limits every call of a chat model.
 * @param policies Policies that limit every call of a chat model, in place of a single
 * one. A call takes what it reserves from all of them, or from none.
 * @param key Key expression of those that have no key of their own, such as
 * principal.name. Defaults to ratelimit.key.
 * @param maxTokens Number of tokens that are reserved for an answer if the options of its
 * model do not say how many it has at most.
 * @since 0.1.0
 */
public record RateLimitAiProperties(@Nullable String policy, @DefaultValue List<String> policies, @Nullable String key,
		@DefaultValue("2000") int maxTokens) {

	/** What a model is charged by a policy that does not say it. */
	static final String CHARGE = "usage.totalTokens";

	/**
	 * Checks what there is of them.
	 */
	public RateLimitAiProperties {
		if (policy != null && !policies.isEmpty()) {
			throw InvalidRateLimitException.property("ratelimit.ai.policy", policy,
					"cannot be used together with ratelimit.ai.policies", "Write all of them as policies.", null);
		}
		if (maxTokens < 0) {
			throw InvalidRateLimitException.property("ratelimit.ai.max-tokens", maxTokens, "is out of range",
					"Set it to the number of tokens that an answer has at most, from 0.", null);
		}
	}

	/**
	 * Returns the policies.
	 * @return their names, none if there are none
	 */
	public List<String> names() {
		if (this.policy != null) {
			return List.of(this.policy);
		}
		return this.policies;
	}

}
