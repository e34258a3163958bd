package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.enforce.AppliedPlace;
import io.github.ratelimit.enforce.PolicyBinder;
import io.github.ratelimit.enforce.PolicyBinding;
import io.github.ratelimit.enforce.StoreRateLimiter;
import io.github.ratelimit.web.RateLimitRule;

import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * The rules of {@code ratelimit.rules}, compiled, and grouped by when they are enforced.
 *
 * @param beforeSecurity the rules that do not read the authenticated user
 * @param afterSecurity the rules that read the authenticated user, or whose phase says so
 * @param places what the policies are applied to by them
 */
record RulesByPhase(List<RateLimitRule> beforeSecurity, List<RateLimitRule> afterSecurity,
		Set<RulesByPhase.Place> places) {

	/**
	 * Name of the bean, for code that runs without Spring Web, where this class cannot be
	 * loaded.
	 */
	static final String BEAN_NAME = "rateLimitRules";

	static RulesByPhase of(RateLimitProperties properties, PathPatternParser parser,
			Function<String, ? extends RateLimiter> policies, PolicyBinder binder, boolean secured) {
		Set<Place> places = new HashSet<>();
		List<RateLimitRule> beforeSecurity = new ArrayList<>();
		List<RateLimitRule> afterSecurity = new ArrayList<>();
		for (int i = 0; i < properties.rules().size(); i++) {
			RateLimitProperties.Rule rule = properties.rules().get(i);
			String property = "ratelimit.rules[" + i + "]";
			PathPattern pattern = pattern(Objects.requireNonNull(rule.path()), property + ".path", parser);
			PolicyBinding binding = bind(rule, property, pattern, policies, binder);
			places.add(new Place(binding.limiter(), binding.place()));
			if (isAfterSecurity(rule, property, binding)) {
				afterSecurity.add(new RateLimitRule(pattern, rule.methods(), binding));
			}
			else {
				beforeSecurity.add(new RateLimitRule(pattern, rule.methods(),
						secured ? binding.beforeSecurity("set " + property + ".phase to after-security") : binding));
			}
		}
		return new RulesByPhase(List.copyOf(beforeSecurity), List.copyOf(afterSecurity), Set.copyOf(places));
	}

	List<RateLimitRule> all() {
		return Stream.concat(this.beforeSecurity.stream(), this.afterSecurity.stream()).toList();
	}

	private static PolicyBinding bind(RateLimitProperties.Rule rule, String property, PathPattern pattern,
			Function<String, ? extends RateLimiter> policies, PolicyBinder binder) {
		return binder.bindRule(policies.apply(Objects.requireNonNull(rule.policy())), place(rule, pattern), property,
				rule.key(), rule.cost(), rule.condition());
	}

	private static String place(RateLimitProperties.Rule rule, PathPattern pattern) {
		String methods = rule.methods().isEmpty() ? "" : String.join(", ", rule.methods()) + " ";
		return RulesInForce.PLACE + methods + pattern.getPatternString();
	}

	private static boolean isAfterSecurity(RateLimitProperties.Rule rule, String property, PolicyBinding binding) {
		RateLimitExpression reader = binding.expressions().principalReader();
		if (rule.phase() == RateLimitProperties.Phase.BEFORE_SECURITY && reader != null) {
			boolean ofPolicy = reader == RateLimitExpression.KEY && rule.key() == null
					|| reader == RateLimitExpression.PLAN;
			String what = ofPolicy ? "the " + reader.id() + " of policy '" + binding.limiter().policy().name() + "'"
					: "the " + reader.id() + " of the rule";
			throw InvalidRateLimitException.property(property + ".phase", "before-security",
					"cannot hold, because " + what
							+ " reads the authenticated user, who is not known before Spring Security has run",
					"Remove phase, or give the " + (ofPolicy ? "policy" : "rule") + " a " + reader.id()
							+ " that does not read the user.",
					null);
		}
		return (rule.phase() != null) ? rule.phase() == RateLimitProperties.Phase.AFTER_SECURITY
				: binding.expressions().needsPrincipal();
	}

	private static PathPattern pattern(String path, String property, PathPatternParser parser) {
		try {
			return parser.parse(parser.initFullPathPattern(path));
		}
		catch (PatternParseException ex) {
			throw InvalidRateLimitException.property(property, path, "is not a path pattern: " + ex.toDetailedString(),
					"Write a pattern such as /api/**, /users/{id} or /files/*.pdf.", ex);
		}
	}

	/**
	 * A rule as people see it, with the policy that it applies.
	 *
	 * @param limiter enforces the policy
	 * @param place the rule
	 */
	record Place(StoreRateLimiter limiter, AppliedPlace place) {
	}

}
