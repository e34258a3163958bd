package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Enforces the rules that match a request: as it is, those that need the authenticated
 * user, after Spring Security.
 */
class RuleFilter extends HttpFilter {

	final transient RateLimitRejections rejections;

	final transient ServletRateLimits limits;

	/**
	 * Creates the filter.
	 * @param rejections answers those that are rejected
	 */
	RuleFilter(RateLimitRejections rejections) {
		this.rejections = rejections;
		this.limits = rejections.limits;
	}

	@Override
	protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.limits);
		if (pass(limited.rules.afterSecurity(), limited, request, response)) {
			chain.doFilter(request, response);
		}
	}

	/**
	 * Takes what the matching rules ask for, or answers the request.
	 * @param rules which of a request's rules to enforce
	 * @param limited what is known of the request
	 * @param request the request
	 * @param response the response
	 * @return {@code false} if the request is answered
	 */
	final boolean pass(List<RateLimitRule> rules, LimitedServletRequest limited, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		if (rules.isEmpty() || isExempt(request)) {
			return true;
		}
		RequestedPath path = new ServletRequestedPath(this.limits.paths, request);
		List<PermitRequest> asked = asked(rules, limited, request, path);
		if (asked.isEmpty()) {
			return true;
		}
		if (limited.acquisition().take(asked, true)) {
			limited.report();
			return true;
		}
		this.rejections.reject(limited, request, response);
		observe(limited.acquisition().rejection(), rules, request, path);
		return false;
	}

	private static List<PermitRequest> asked(List<RateLimitRule> rules, LimitedServletRequest limited,
			HttpServletRequest request, RequestedPath path) {
		List<PermitRequest> asked = new ArrayList<>(1);
		for (int i = 0; i < rules.size(); i++) {
			RateLimitRule rule = rules.get(i);
			if (rule.matches(request.getMethod(), path)) {
				PolicyBinding binding = rule.binding();
				PermitRequest constant = binding.constant();
				PermitRequest permit = (constant != null) ? constant
						: binding.resolve(RateLimitContext.of(new RuleView(limited, request, rule.pattern(), path)));
				if (permit != null) {
					asked.add(permit);
				}
			}
		}
		return asked;
	}

	/*
	 * Only Spring MVC answers a pre-flight request without running a handler. No client
	 * can ask for a view, and what a pattern's variables would make of its path is
	 * nobody's key.
	 */
	private boolean isExempt(HttpServletRequest request) {
		if (request.getDispatcherType() == DispatcherType.FORWARD) {
			String path = request.getServletPath();
			if (path.startsWith("/WEB-INF/") || path.startsWith("/META-INF/")) {
				return true;
			}
		}
		return CorsUtils.isPreFlightRequest(request) && this.limits.paths.isForDispatcher(request);
	}

	/*
	 * A request that a rule has rejected has no handler whose pattern could be its uri in
	 * http.server.requests, and has the rule's instead.
	 */
	private static void observe(Acquisition.@Nullable Entry rejection, List<RateLimitRule> rules,
			HttpServletRequest request, RequestedPath path) {
		if (rejection == null) {
			return;
		}
		ServerHttpObservationFilter.findObservationContext(request)
			.ifPresent((context) -> rules.stream()
				.filter((rule) -> rule.binding().limiter().equals(rejection.request().limiter())
						&& rule.matches(request.getMethod(), path))
				.findFirst()
				.ifPresent((rule) -> context.setPathPattern(rule.pattern().getPatternString())));
	}

	/**
	 * What expressions see of a request that a rule applies to: the request, with the
	 * rule's pattern in place of a handler's.
	 *
	 * @param limited the request
	 * @param request the request as the filter of the rule has it: an expression may call
	 * what has another view of it
	 * @param pattern the rule's pattern
	 * @param requested the path that the pattern matches
	 */
	private record RuleView(LimitedServletRequest limited, HttpServletRequest request, PathPattern pattern,
			RequestedPath requested) implements ServletRequestView {

		@Override
		public String path() {
			return this.pattern.getPatternString();
		}

		/*
		 * The cleanest reading comes first: a resource has many spellings, and a variable
		 * that differed by them would give a client many budgets for it.
		 */
		@Override
		public @Nullable String pathVariable(String name) {
			List<PathContainer> readings = this.requested.readings();
			for (int i = readings.size() - 1; i >= 0; i--) {
				PathPattern.PathMatchInfo match = this.pattern.matchAndExtract(readings.get(i));
				if (match != null) {
					return match.getUriVariables().get(name);
				}
			}
			PathContainer parsed = this.requested.parsed();
			PathPattern.PathMatchInfo match = (parsed != null) ? this.pattern.matchAndExtract(parsed) : null;
			return (match != null) ? match.getUriVariables().get(name) : null;
		}

		@Override
		public @Nullable Principal principal() {
			return this.limited.principal(this.request);
		}

		@Override
		public String clientAddress() {
			return this.limited.clientAddress();
		}

	}

}
