package io.github.ratelimit.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.annotation.LimitedMethod;
import io.github.ratelimit.annotation.RateLimitedMethods;

import org.springframework.web.method.HandlerMethod;

/**
 * The patterns of paths that handlers are mapped to. A limit that reads a path variable
 * which none of its handler's patterns has fails start-up.
 */
final class HandlerPatterns {

	private final RateLimitedMethods methods;

	private final Map<HandlerMethod, Set<String>> patterns = new LinkedHashMap<>();

	HandlerPatterns(RateLimitedMethods methods) {
		this.methods = methods;
	}

	/**
	 * Adds patterns of a handler, of which there may be more.
	 */
	void add(HandlerMethod handler, Collection<String> patterns) {
		this.patterns.computeIfAbsent(handler, (absent) -> new LinkedHashSet<>()).addAll(patterns);
	}

	/**
	 * Checks the handlers, if any limit reads path variables.
	 * @param mappings adds the patterns of all mappings
	 * @throws InvalidRateLimitException if a handler has no such variable
	 */
	void check(Consumer<HandlerPatterns> mappings) {
		if (!this.methods.mayRead("pathVariable")) {
			return;
		}
		mappings.accept(this);
		this.patterns.forEach((handler, patterns) -> {
			LimitedMethod limited = this.methods.limitedMethod(handler.getMethod(), handler.getBeanType());
			limited.checkPathVariables(patterns);
		});
	}

}
