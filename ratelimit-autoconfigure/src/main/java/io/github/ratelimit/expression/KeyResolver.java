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
	 * @return the key; {@code null} or empty falls back to the client's address within a
	 * request, and to one budget for the whole policy outside of one
	 */
	@Nullable String resolveKey(RateLimitContext context);

	/**
	 * Whether the authenticated user is needed, so that a rule with this key must run
	 * after Spring Security.
	 * @return {@code true}, which is right for every key; {@code false} lets a rule
	 * reject before anybody is authenticated
	 */
	default boolean needsPrincipal() {
		return true;
	}

}
