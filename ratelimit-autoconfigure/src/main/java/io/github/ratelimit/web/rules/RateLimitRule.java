package io.github.ratelimit.web.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Says which requests a policy applies to, by a pattern of paths and by methods.
 *
 * @since 0.1.0
 */
public final class RateLimitRule {

	private final RulePaths paths;

	/* A target behind a gateway may take post for POST. */
	private final Set<String> methods = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

	private final PolicyBinding binding;

	private final boolean afterSecurity;

	/* Whether an expression reads a variable of the path, or may read it. */
	private final boolean readingVariables;

	/* The rule as it was written. */
	private final String text;

	private volatile boolean matched;

	/**
	 * Creates a rule.
	 * @param pattern the paths
	 * @param exceptions the paths among them that it does not apply to
	 * @param methods the HTTP methods, in upper case; none for all of them; {@code GET}
	 * covers {@code HEAD}, which runs the same handler
	 * @param binding the policy, and what a request asks of it
	 * @param afterSecurity whether it is enforced after Spring Security, once the user is
	 * authenticated
	 */
	public RateLimitRule(PathPattern pattern, List<PathPattern> exceptions, Collection<String> methods,
			PolicyBinding binding, boolean afterSecurity) {
		this.paths = new RulePaths(pattern, exceptions);
		this.methods.addAll(methods);
		if (this.methods.contains("GET")) {
			this.methods.add("HEAD");
		}
		this.binding = binding;
		this.afterSecurity = afterSecurity;
		this.readingVariables = binding.mayRead("pathVariable");
		this.text = text(methods);
	}

	private String text(Collection<String> methods) {
		if (methods.isEmpty()) {
			return this.paths.toString();
		}
		return String.join(", ", methods) + ' ' + this.paths;
	}

	/**
	 * Resolves what a request asks of the policies whose rules apply to it, and notes
	 * that these have matched one.
	 * @param rules the rules
	 * @param path the request's method and path
	 * @param acquisition the permits of the request
	 * @return what to ask of each policy whose condition holds
	 */
	public static List<PermitRequest> resolve(List<RateLimitRule> rules, RequestedPath path, Acquisition acquisition) {
		List<PermitRequest> asked = List.of();
		for (int i = 0; i < rules.size(); i++) {
			RateLimitRule rule = rules.get(i);
			if (!rule.matches(path)) {
				continue;
			}
			if (asked.isEmpty()) {
				asked = new ArrayList<>(1);
			}
			// once, because a write that others see costs each request more than a read
			if (!rule.matched) {
				rule.matched = true;
			}

			PermitRequest constant = rule.binding.constant();
			if (constant != null) {
				asked.add(constant);
			}
			else {
				rule.resolve(path, asked, acquisition);
			}
		}
		return asked;
	}

	/* A path that can be read in several ways counts for the variables of each. */
	private void resolve(RequestedPath path, List<PermitRequest> asked, Acquisition acquisition) {
		if (!this.readingVariables || path.readings().size() == 1) {
			this.binding.resolve(RateLimitContext.of(path.view(this, null)), null, asked, acquisition);
			return;
		}
		for (Map<String, String> variables : path.variables(pattern())) {
			this.binding.resolve(RateLimitContext.of(path.view(this, variables)), null, asked, acquisition);
		}
	}

	/**
	 * Finds the pattern that a policy was asked for. A request that a rule has rejected
	 * has no handler whose pattern could be its uri in {@code http.server.requests}.
	 * @param rules the rules
	 * @param limiter enforces the policy
	 * @param path the request's method and path
	 * @return the pattern of the first rule that matches, or {@code null} if none does
	 */
	public static @Nullable String patternOf(List<RateLimitRule> rules, RateLimiter limiter, RequestedPath path) {
		for (RateLimitRule rule : rules) {
			if (rule.binding.limiter().equals(limiter) && rule.matches(path)) {
				return rule.pattern().getPatternString();
			}
		}
		return null;
	}

	/**
	 * Matches the rule with a request, and notes that it has matched one.
	 * @param path the request's method and path
	 * @return {@code true} if both match
	 */
	boolean matchAndNote(RequestedPath path) {
		boolean matches = matches(path);
		if (matches) {
			this.matched = true;
		}
		return matches;
	}

	/**
	 * Whether the rule has matched a request.
	 */
	boolean hasMatched() {
		return this.matched;
	}

	/**
	 * Whether the rule would apply to a request: whether its path matches as it may be
	 * read by anything that serves it.
	 * @param path the request's method and path
	 * @return {@code true} if both match
	 */
	public boolean matches(RequestedPath path) {
		if (!this.methods.isEmpty() && !this.methods.contains(path.method)) {
			return false;
		}
		return this.paths.contain(path);
	}

	/**
	 * Whether the rule would apply to requests for a path, whatever their methods:
	 * whether its pattern matches, and none of its exceptions.
	 * @param path a path that can be read in one way only
	 * @return {@code true} if it is one of the rule's
	 */
	public boolean appliesTo(PathContainer path) {
		return this.paths.contain(path);
	}

	/**
	 * Finds a variable of the pattern.
	 * @param name the variable's name
	 * @param path a path that the pattern matches, and that can be read in one way only
	 * @return the variable's value, or {@code null} if there is none
	 */
	public @Nullable String variable(String name, RequestedPath path) {
		PathPattern.PathMatchInfo match = pattern().matchAndExtract(path.readings().get(0));
		if (match == null) {
			return null;
		}
		return match.getUriVariables().get(name);
	}

	/**
	 * Returns the pattern of the paths.
	 * @return the pattern
	 */
	public PathPattern pattern() {
		return this.paths.pattern();
	}

	/**
	 * Returns the methods that the rule applies to, with {@code HEAD} for {@code GET}.
	 * @return none for all of them
	 */
	public Set<String> methods() {
		return Collections.unmodifiableSet(this.methods);
	}

	/**
	 * Whether the rule's policy rejects or delays anybody, as it is defined.
	 * @return {@code false} if it only informs, or only decides in shadow
	 */
	public boolean isDefinedToEnforce() {
		return this.binding.limiter().policy().mode() == RateLimitMode.ENFORCE;
	}

	/**
	 * Whether the rule is enforced once the user is authenticated.
	 * @return {@code false} if it is enforced before Spring Security
	 */
	public boolean isAfterSecurity() {
		return this.afterSecurity;
	}

	/**
	 * Returns the policy, and what a request asks of it.
	 * @return the binding
	 */
	public PolicyBinding binding() {
		return this.binding;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
