package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.github.ratelimit.enforce.PermitRequest;
import io.github.ratelimit.enforce.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.cors.CorsUtils;

/**
 * Enforces the rules that match a request.
 */
final class RuleEnforcement {

	private final Function<ServletRules, List<RateLimitRule>> phase;

	private final ServletPaths paths;

	private final RateLimitRejections rejections;

	/**
	 * Creates the enforcement.
	 * @param phase which of a request's rules to enforce
	 * @param paths finds the path that the rules are matched with
	 * @param rejections answers those that are rejected
	 */
	RuleEnforcement(Function<ServletRules, List<RateLimitRule>> phase, ServletPaths paths,
			RateLimitRejections rejections) {
		this.phase = phase;
		this.paths = paths;
		this.rejections = rejections;
	}

	/**
	 * Takes what the matching rules ask for and goes on, or answers the request.
	 * @param limited what is known of the request
	 * @param request the request
	 * @param response the response
	 * @param chain how to go on
	 */
	void enforce(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws IOException, ServletException {
		List<RateLimitRule> rules = this.phase.apply(limited.rules);
		List<PermitRequest> asked = (rules.isEmpty() || isExempt(request)) ? List.of()
				: asked(rules, limited, request, response);
		if (asked.isEmpty()) {
			chain.doFilter(request, response);
		}
		else if (limited.acquisition().take(asked, true)) {
			report(limited);
			chain.doFilter(request, response);
		}
		else {
			this.rejections.reject(limited, request, response);
			ObservedPattern.set(limited.acquisition().rejection(), rules, request,
					new ServletRequestedPath(this.paths, request));
		}
	}

	/*
	 * What was only asked in shadow leaves the response alone.
	 */
	private static void report(LimitedServletRequest limited) {
		if (!limited.acquisition().entries().isEmpty()) {
			limited.report();
		}
	}

	private List<PermitRequest> asked(List<RateLimitRule> rules, LimitedServletRequest limited,
			HttpServletRequest request, HttpServletResponse response) {
		RequestedPath path = new ServletRequestedPath(this.paths, request);
		List<PermitRequest> asked = new ArrayList<>(1);
		for (int i = 0; i < rules.size(); i++) {
			RateLimitRule rule = rules.get(i);
			if (rule.matches(request.getMethod(), path)) {
				limited.use(request, response);
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
		return CorsUtils.isPreFlightRequest(request) && this.paths.isForDispatcher(request);
	}

}
