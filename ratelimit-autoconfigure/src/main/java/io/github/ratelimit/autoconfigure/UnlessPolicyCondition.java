package io.github.ratelimit.autoconfigure;

import java.util.function.Supplier;

import io.github.ratelimit.RateLimiterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.mvc.condition.RequestCondition;

/**
 * Matches unless a policy has the name that the path ends with: the policy comes first.
 *
 * @param name the name
 * @param registry finds the policies
 */
record UnlessPolicyCondition(String name,
		Supplier<@Nullable RateLimiterRegistry> registry) implements RequestCondition<UnlessPolicyCondition> {

	@Override
	public UnlessPolicyCondition combine(UnlessPolicyCondition other) {
		return other;
	}

	@Override
	public @Nullable UnlessPolicyCondition getMatchingCondition(HttpServletRequest request) {
		RateLimiterRegistry limiters = this.registry.get();
		return (limiters != null && limiters.find(this.name) != null) ? null : this;
	}

	@Override
	public int compareTo(UnlessPolicyCondition other, HttpServletRequest request) {
		return 0;
	}

}
