package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.List;

import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * What expressions see of a request that a rule applies to: the request, with the rule's
 * pattern in place of a handler's.
 *
 * @param limited the request
 * @param request the request as the filter of the rule has it: an expression may call
 * what has another view of it
 * @param pattern the rule's pattern
 * @param requested the path that the pattern matches
 */
record RuleView(LimitedServletRequest limited, HttpServletRequest request, PathPattern pattern,
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
