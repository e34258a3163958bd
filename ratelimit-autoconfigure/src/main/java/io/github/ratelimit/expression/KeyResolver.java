package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * Strategy that computes keys in code, where an expression is not enough. A single bean
 * of this type is the application's default key, in place of {@code ratelimit.key}. Any
 * such bean can be named as a key: {@code key: "@tenantKeys"}. A bean that is declared
 * with {@code @Bean(defaultCandidate = false)} resolves only keys that name it.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface KeyResolver {

	/**
	 * Resolves the key of a call.
	 * @param context the call that is about to be limited
	 * @return the key; within a request, a {@code null} or empty key or an exception
	 * falls back to the client's address; outside a request, a {@code null} or empty key
	 * is one budget for the whole policy
	 */
	@Nullable String resolveKey(RateLimitContext context);

	/**
	 * Whether the key needs the authenticated user, so that a rule with this resolver as
	 * its default key runs after Spring Security. A rule whose key names the resolver
	 * runs after it in any case, unless its {@code phase} says otherwise.
	 * @return {@code true}, which is safe for every key; with {@code false}, a rule can
	 * reject requests before authentication
	 */
	default boolean needsPrincipal() {
		return true;
	}

}
