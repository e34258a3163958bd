package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;

/**
 * The path of a servlet request, parsed once at most.
 */
final class ServletRequestedPath extends RequestedPath {

	private final ServletPaths paths;

	private final HttpServletRequest request;

	private final @Nullable LimitedServletRequest limited;

	private @Nullable PathContainer parsed;

	private boolean unparsable;

	private @Nullable List<PathContainer> readings;

	/**
	 * Creates the path.
	 * @param paths finds the path that is matched
	 * @param request the request as the filter of the rule has it: an expression may call
	 * what has another view of it
	 * @param limited what is known of it, or {@code null} if rules are not asked
	 */
	ServletRequestedPath(ServletPaths paths, HttpServletRequest request, @Nullable LimitedServletRequest limited) {
		// unless something of the path is the application's own, or the servlet's
		super(request.getMethod(), request.getRequestURI(), request.getContextPath().isEmpty()
				&& request.getHttpServletMapping().getMappingMatch() == MappingMatch.DEFAULT);
		this.paths = paths;
		this.request = request;
		this.limited = limited;
	}

	@Override
	public @Nullable PathContainer parsed() {
		if (this.parsed == null && !this.unparsable) {
			this.parsed = this.paths.parsed(this.request);
			this.unparsable = (this.parsed == null);
		}
		return this.parsed;
	}

	@Override
	public List<PathContainer> readings() {
		List<PathContainer> readings = this.readings;
		if (readings == null) {
			PathContainer parsed = parsed();
			String sent = this.request.getRequestURI();
			// of a servlet's own path nothing may be left
			boolean oneWay = this.clean && sent.startsWith("/") && !sent.endsWith("/") && parsed != null
					&& !parsed.value().isEmpty();
			readings = oneWay ? List.of() : read(parsed);
			this.readings = readings;
		}
		return readings;
	}

	private List<PathContainer> read(@Nullable PathContainer parsed) {
		Set<String> readings = new LinkedHashSet<>();
		String decoded = this.paths.decoded(this.request);
		readings.add(decoded);
		if (parsed != null && this.paths.isForDispatcher(this.request)) {
			CleanedPath.addSent(parsed.value(), readings);
		}
		else {
			CleanedPath.addDecoded(decoded, readings);
		}
		return readings.stream().map(ServletPaths::literal).toList();
	}

	@Override
	protected @Nullable RequestView view(RateLimitRule rule) {
		return (this.limited != null) ? new RuleView(this.limited, this.request, rule, this) : null;
	}

	/**
	 * What expressions see of a request that a rule applies to: the request, with the
	 * rule's pattern in place of a handler's.
	 *
	 * @param limited the request
	 * @param request the request as the filter of the rule has it: an expression may call
	 * what has another view of it
	 * @param rule the rule
	 * @param requested the path that the pattern matches
	 */
	private record RuleView(LimitedServletRequest limited, HttpServletRequest request, RateLimitRule rule,
			RequestedPath requested) implements ServletRequestView {

		@Override
		public String path() {
			return this.rule.pattern().getPatternString();
		}

		@Override
		public @Nullable String pathVariable(String name) {
			return this.rule.variable(name, this.requested);
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
