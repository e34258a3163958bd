package io.github.ratelimit.web.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The requests that a policy applies to: a pattern of paths, and methods.
 *
 * @since 0.1.0
 */
public final class RateLimitRule {

	private static final String ANYTHING_BELOW = "/**";

	private final PathPattern pattern;

	/* Of a pattern such as /login or /api/**, which a path's text shows to match. */
	private final @Nullable String literal;

	private final boolean open;

	/* A target behind a gateway may take post for POST. */
	private final Set<String> methods = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

	private final PolicyBinding binding;

	private final boolean afterSecurity;

	/* As it was written. */
	private final String text;

	/* Whether it has applied to a request. */
	volatile boolean matched;

	/**
	 * Creates a rule.
	 * @param pattern the paths
	 * @param methods the HTTP methods, in upper case; none for all of them; {@code GET}
	 * covers {@code HEAD}, which runs the same handler
	 * @param binding the policy, and what a request asks of it
	 * @param afterSecurity whether it needs the authenticated user
	 */
	public RateLimitRule(PathPattern pattern, Collection<String> methods, PolicyBinding binding,
			boolean afterSecurity) {
		this.pattern = pattern;
		this.open = pattern.getPatternString().endsWith(ANYTHING_BELOW);
		this.literal = literal(pattern.getPatternString(), this.open);
		this.methods.addAll(methods);
		if (this.methods.contains("GET")) {
			this.methods.add("HEAD");
		}
		this.binding = binding;
		this.afterSecurity = afterSecurity;
		this.text = (methods.isEmpty() ? "" : String.join(", ", methods) + ' ') + pattern.getPatternString();
	}

	private static @Nullable String literal(String pattern, boolean open) {
		String path = open ? pattern.substring(0, pattern.length() - ANYTHING_BELOW.length()) : pattern;
		for (int i = 0; i < path.length(); i++) {
			char c = path.charAt(i);
			if (c != '/' && c != '-' && !Character.isLetterOrDigit(c)) {
				return null;
			}
		}
		return path;
	}

	/**
	 * Says what a request asks of the policies whose rules apply to it.
	 * @param rules the rules
	 * @param path the request's method and path
	 * @param acquisition the permits of the request
	 * @return what to ask of each policy whose condition holds
	 */
	public static List<PermitRequest> ask(List<RateLimitRule> rules, RequestedPath path, Acquisition acquisition) {
		List<PermitRequest> asked = new ArrayList<>(1);
		for (int i = 0; i < rules.size(); i++) {
			RateLimitRule rule = rules.get(i);
			if (rule.applies(path)) {
				PermitRequest constant = rule.binding.constant();
				if (constant != null) {
					asked.add(constant);
				}
				else {
					rule.binding.resolve(RateLimitContext.of(path.view(rule)), null, asked, acquisition);
				}
			}
		}
		return asked;
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
				return rule.pattern.getPatternString();
			}
		}
		return null;
	}

	/**
	 * Whether the rule applies to a request. That it has applied to one is noted.
	 * @param path the request's method and path
	 * @return {@code true} if both match
	 */
	public boolean applies(RequestedPath path) {
		boolean matches = matches(path);
		// once, because a write that others see costs each request more than a read
		if (matches && !this.matched) {
			this.matched = true;
		}
		return matches;
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
		String text = path.text;
		String literal = this.literal;
		if (text != null && literal != null && text.startsWith(literal)
				&& (text.length() == literal.length() || this.open && text.charAt(literal.length()) == '/')) {
			return true;
		}
		for (PathContainer reading : path.readings()) {
			if (this.pattern.matches(reading)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * A variable of the pattern. The cleanest reading comes first: a resource has many
	 * spellings, and a variable that differed by them would give a client many budgets
	 * for it.
	 * @param name the variable's name
	 * @param path a path that the pattern matches
	 * @return the variable's value, or {@code null} if there is none
	 */
	public @Nullable String variable(String name, RequestedPath path) {
		List<PathContainer> readings = path.readings();
		for (int i = readings.size() - 1; i >= 0; i--) {
			PathPattern.PathMatchInfo match = this.pattern.matchAndExtract(readings.get(i));
			if (match != null) {
				return match.getUriVariables().get(name);
			}
		}
		return null;
	}

	/**
	 * The paths.
	 * @return the pattern
	 */
	public PathPattern pattern() {
		return this.pattern;
	}

	/**
	 * The methods.
	 * @return none for all of them
	 */
	public Set<String> methods() {
		return this.methods;
	}

	/**
	 * Whether the rule rejects or delays anybody.
	 * @return {@code false} if its policy only decides in shadow
	 */
	public boolean isEnforced() {
		return this.binding.limiter().policy().mode() == RateLimitMode.ENFORCE;
	}

	/**
	 * When the rule is enforced.
	 * @return {@code true} if it is once the user is authenticated
	 */
	public boolean isAfterSecurity() {
		return this.afterSecurity;
	}

	/**
	 * The policy, and what a request asks of it.
	 * @return the binding
	 */
	public PolicyBinding binding() {
		return this.binding;
	}

	@Override
	public String toString() {
		return this.text;
	}

	/**
	 * Looks at a request that is over, for what it shows of the rules that were in force.
	 * @param rules the rules, which are still watched
	 * @param path its method and path; may be missing if our filter has seen it, and no
	 * rule is enforced after Spring Security
	 * @param unseen whether our filter has not seen it
	 * @param findings where it is added what is wrong with rules
	 */
	public static void look(InForce rules, @Nullable RequestedPath path, boolean unseen, RateLimitFindings findings) {
		if (path != null) {
			// a request that Spring Security turns down never comes to the rules
			// behind it
			rules.afterSecurity.forEach((rule) -> rule.applies(path));
			List<RateLimitRule> missed = unseen
					? rules.beforeSecurity.stream().filter((rule) -> rule.applies(path)).toList() : List.of();
			if (!missed.isEmpty() && rules.unseen.incrementAndGet() == InForce.UNSEEN) {
				missed.get(0)
					.report(findings, FindingCode.EARLIER_FILTER, "filters",
							"Requests that match the rule %s of the policy '%s' were answered before the filter of the "
									+ "rate limits, so that they are not limited.");
			}
		}
		if (rules.requests.incrementAndGet() == InForce.REQUESTS) {
			rules.watched = false;
			rules.all.stream()
				.filter((rule) -> !rule.matched)
				.forEach((rule) -> rule.report(findings, FindingCode.UNMATCHED_RULE, rule.text,
						"The rule %s of the policy '%s' has matched none of the first thousand requests."));
		}
	}

	private void report(RateLimitFindings findings, FindingCode code, String subject, String message) {
		String policy = this.binding.limiter().policy().name();
		findings.report(code, policy, subject, message.formatted(this.text, policy));
	}

	/**
	 * The rules that a request begins with, and keeps: those that are in force may be
	 * replaced while it is under way.
	 * <p>
	 * The first thousand requests under them show rules that none of them matched, and
	 * requests that match a rule and were answered before our filter saw them.
	 */
	public static final class InForce {

		private static final int REQUESTS = 1000;

		private static final int UNSEEN = 10;

		/** Those that need nobody to be authenticated. */
		public final List<RateLimitRule> beforeSecurity = new ArrayList<>();

		/** Those that need the user. */
		public final List<RateLimitRule> afterSecurity = new ArrayList<>();

		/** All of them. */
		public final List<RateLimitRule> all;

		/** Whether requests still show anything. */
		public volatile boolean watched = true;

		private final AtomicInteger requests = new AtomicInteger();

		private final AtomicInteger unseen = new AtomicInteger();

		/**
		 * Puts rules in force.
		 * @param all the rules, which do not change
		 */
		public InForce(List<RateLimitRule> all) {
			this.all = all;
			for (RateLimitRule rule : all) {
				(rule.afterSecurity ? this.afterSecurity : this.beforeSecurity).add(rule);
			}
		}

	}

}
