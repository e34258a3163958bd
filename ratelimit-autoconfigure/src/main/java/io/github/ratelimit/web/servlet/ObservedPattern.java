package io.github.ratelimit.web.servlet;

import java.util.List;

import io.github.ratelimit.enforce.Acquisition;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.filter.ServerHttpObservationFilter;

/**
 * Names a request that a rule has rejected in {@code http.server.requests}: it has no
 * handler whose pattern could be its {@code uri}, and has the rule's instead.
 */
final class ObservedPattern {

	private ObservedPattern() {
	}

	/**
	 * Sets the pattern of the rule that has rejected a request.
	 * @param rejection what rejected it
	 * @param rules the rules, of which one has
	 * @param request the request
	 * @param path its path
	 */
	static void set(Acquisition.@Nullable Entry rejection, List<RateLimitRule> rules, HttpServletRequest request,
			RequestedPath path) {
		if (rejection == null) {
			return;
		}
		ServerHttpObservationFilter.findObservationContext(request).ifPresent((context) -> {
			for (RateLimitRule rule : rules) {
				if (rule.binding().limiter().equals(rejection.request().limiter())
						&& rule.matches(request.getMethod(), path)) {
					context.setPathPattern(rule.pattern().getPatternString());
					return;
				}
			}
		});
	}

}
