package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * Computes keys in code, where an expression is not enough. A single bean of this type is
 * the application's default key, in place of {@code ratelimit.key}; any can be named as a
 * key: {@code key: "@tenantKeys"}. One that is declared with
 * {@code @Bean(defaultCandidate = false)} resolves only keys that name it.
 */
@FunctionalInterface
public interface KeyResolver {

	/**
	 * Says who is being limited.
	 * @param context the call that is about to be limited
	 * @return the key; {@code null}, empty or an exception falls back to the client's
	 * address within a request; outside of one, {@code null} or empty is one budget for
	 * the whole policy
	 */
	@Nullable String resolveKey(RateLimitContext context);

	/**
	 * Whether the authenticated user is needed, so that a rule with this resolver as its
	 * default key must run after Spring Security. A rule whose key names the resolver
	 * runs after it in any case, unless its {@code phase} says otherwise.
	 * @return {@code true}, which is right for every key; {@code false} lets a rule
	 * reject before anybody is authenticated
	 */
	default boolean needsPrincipal() {
		return true;
	}

}
