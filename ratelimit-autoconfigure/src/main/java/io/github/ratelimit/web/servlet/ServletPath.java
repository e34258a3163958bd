package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.rules.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The path of a servlet request, as the application itself will match it: Spring MVC
 * matches the path as it was sent, segment by segment; any other servlet was chosen by
 * the path that the container has decoded and normalised. In a forward it is the
 * target's. No rule applies to an include.
 */
final class ServletPath extends RequestedPath {

	private final MvcServlets mvcServlets;

	private final HttpServletRequest request;

	private final @Nullable LimitedServletRequest limited;

	/**
	 * Creates the path of a request.
	 * @param mvcServlets knows whether it is for one of them
	 * @param request the request as the filter of the rule has it: an expression may call
	 * what has another view of it
	 * @param limited what is known of it, or {@code null} if rules are not asked
	 */
	ServletPath(MvcServlets mvcServlets, HttpServletRequest request, @Nullable LimitedServletRequest limited) {
		// unless something of the path is the application's own, or the servlet's
		super(request.getMethod(), request.getRequestURI(), request.getContextPath().isEmpty()
				&& request.getHttpServletMapping().getMappingMatch() == MappingMatch.DEFAULT);
		this.mvcServlets = mvcServlets;
		this.request = request;
		this.limited = limited;
	}

	@Override
	protected List<PathContainer> read() {
		List<PathContainer> within = readWithinApplication();
		if (this.request.getContextPath().equals(this.request.getServletContext().getContextPath())) {
			return within;
		}
		return prefixed(this.request.getRequestURI(), within);
	}

	private List<PathContainer> readWithinApplication() {
		if (!this.mvcServlets.isTargetOf(this.request)) {
			String decoded = this.request.getServletPath() + pathInfo();
			PathContainer matched = PathContainer.parsePath(decoded, DECODED);
			return isOnlyReading(matched) ? List.of(matched) : readings(matched, decoded, null);
		}

		PathContainer matched = parse();
		if (matched == null) {
			return readings(null, decodedForDispatcher(), null);
		}
		return isOnlyReading(matched) ? List.of(matched) : readings(matched, decodedForDispatcher(), matched.value());
	}

	/*
	 * Nothing may be left within the application of a path that is a servlet's own.
	 */
	private boolean isOnlyReading(PathContainer matched) {
		return this.clean && !matched.value().isEmpty();
	}

	/*
	 * A path that was parsed before may be another dispatch's, or of another length, so
	 * that it is not used. What cannot be parsed Spring MVC will not match either.
	 */
	private @Nullable PathContainer parse() {
		try {
			return ServletRequestPathUtils.parse(this.request).pathWithinApplication();
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/*
	 * The path as the container has decoded and normalised it, within Spring MVC's
	 * servlet.
	 */
	private String decodedForDispatcher() {
		if (this.request.getHttpServletMapping().getMappingMatch() == MappingMatch.PATH) {
			return pathInfo();
		}
		return this.request.getServletPath() + pathInfo();
	}

	private String pathInfo() {
		return Objects.requireNonNullElse(this.request.getPathInfo(), "");
	}

	@Override
	protected RequestView view(RateLimitRule rule, @Nullable Map<String, String> variables) {
		LimitedServletRequest limited = this.limited;
		if (limited == null) {
			return super.view(rule, variables);
		}
		return new RuleView(rule, this, variables, limited);
	}

	/**
	 * The request as the expressions of a rule see it, with the rule's pattern in place
	 * of a handler's.
	 *
	 * @param rule the rule
	 * @param matched the path that it has matched
	 * @param variables the variables of the rule's pattern, or {@code null} to find them
	 * once they are read
	 * @param limited what is known of the request
	 */
	private record RuleView(RateLimitRule rule, ServletPath matched, @Nullable Map<String, String> variables,
			LimitedServletRequest limited) implements ServletRequestView {

		@Override
		public HttpServletRequest request() {
			return this.matched.request;
		}

		@Override
		public String path() {
			return this.rule.pattern().getPatternString();
		}

		@Override
		public @Nullable String pathVariable(String name) {
			if (this.variables != null) {
				return this.variables.get(name);
			}
			return this.rule.variable(name, this.matched);
		}

		@Override
		public @Nullable Principal principal() {
			return this.limited.principal(request());
		}

		@Override
		public McpMessage mcp() {
			return this.limited.readMessage(request(), this.matched);
		}

		@Override
		public String clientAddress() {
			return this.limited.clientAddress();
		}

	}

}
