package io.github.ratelimit.expression;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * What is known of the call that is about to be limited. Each part may be missing: there
 * is no request outside the web, no method for a rule of the filter, and no arguments
 * before they are resolved.
 *
 * @param request the HTTP request that the call belongs to
 * @param target the object that the method is called on
 * @param method the annotated method
 * @param arguments the method's arguments
 */
public record RateLimitContext(@Nullable RequestView request, @Nullable Object target, @Nullable Method method,
		@Nullable Object @Nullable [] arguments) {

	/**
	 * The context of a rule: only the request is known.
	 * @param request the HTTP request
	 * @return the context
	 */
	public static RateLimitContext of(RequestView request) {
		return new RateLimitContext(request, null, null, null);
	}

}
