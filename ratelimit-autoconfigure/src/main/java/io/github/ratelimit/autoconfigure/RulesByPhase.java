package io.github.ratelimit.autoconfigure;

import java.util.Objects;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.PolicyBinder;
import io.github.ratelimit.enforce.PolicyBinding;
import io.github.ratelimit.web.RateLimitRule;

import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * The rules of {@code ratelimit.rules}, compiled, and grouped by when they are enforced.
 *
 * @param beforeSecurity the rules that do not read the authenticated user
 * @param afterSecurity the rules that read the authenticated user, or whose phase says so
 */
record RulesByPhase(List<RateLimitRule> beforeSecurity, List<RateLimitRule> afterSecurity) {

	/**
	 * Name of the bean, for code that runs without Spring Web, where this class cannot be
	 * loaded.
	 */
	static final String BEAN_NAME = "rateLimitRules";

	static RulesByPhase of(RateLimitProperties properties, PathPatternParser parser, RateLimiterRegistry registry,
			PolicyBinder binder, boolean secured) {
		List<RateLimitRule> beforeSecurity = new ArrayList<>();
		List<RateLimitRule> afterSecurity = new ArrayList<>();
		for (int i = 0; i < properties.rules().size(); i++) {
			RateLimitProperties.Rule rule = properties.rules().get(i);
			String property = "ratelimit.rules[" + i + "]";
			PathPattern pattern = pattern(Objects.requireNonNull(rule.path()), property + ".path", parser);
			PolicyBinding binding = bind(rule, property, pattern, registry, binder);
			if (isAfterSecurity(rule, property, binding)) {
				afterSecurity.add(new RateLimitRule(pattern, rule.methods(), binding));
			}
			else {
				beforeSecurity.add(new RateLimitRule(pattern, rule.methods(),
						secured ? binding.beforeSecurity("set " + property + ".phase to after-security") : binding));
			}
		}
		return new RulesByPhase(List.copyOf(beforeSecurity), List.copyOf(afterSecurity));
	}

	List<RateLimitRule> all() {
		return Stream.concat(this.beforeSecurity.stream(), this.afterSecurity.stream()).toList();
	}

	private static PolicyBinding bind(RateLimitProperties.Rule rule, String property, PathPattern pattern,
			RateLimiterRegistry registry, PolicyBinder binder) {
		String methods = rule.methods().isEmpty() ? "" : String.join(", ", rule.methods()) + " ";
		return binder.bindRule(registry.policy(Objects.requireNonNull(rule.policy())),
				"rule " + methods + pattern.getPatternString(), property, rule.key(), rule.cost(), rule.condition());
	}

	private static boolean isAfterSecurity(RateLimitProperties.Rule rule, String property, PolicyBinding binding) {
		RateLimitExpression reader = binding.expressions().principalReader();
		if (rule.phase() == RateLimitProperties.Phase.BEFORE_SECURITY && reader != null) {
			boolean ofPolicy = reader == RateLimitExpression.KEY && rule.key() == null;
			String what = ofPolicy ? "the key of policy '" + binding.limiter().policy().name() + "'"
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

}
