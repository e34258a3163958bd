package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.web.RateLimitRule;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * What is configured under {@code ratelimit.rules}, ready to be enforced.
 *
 * @param beforeSecurity the rules that need nobody to be authenticated
 * @param afterSecurity the rules whose keys read the authenticated user
 */
record BoundRules(List<RateLimitRule> beforeSecurity, List<RateLimitRule> afterSecurity) {

	/**
	 * By which they can be asked for where Spring Web is missing and this class cannot
	 * load.
	 */
	static final String BEAN_NAME = "rateLimitRules";

	static BoundRules of(RateLimitProperties properties, PathPatternParser parser, RateLimiter limiter,
			PolicyBinder binder) {
		List<RateLimitRule> rules = IntStream.range(0, properties.rules().size())
			.mapToObj((i) -> bind(properties.rules().get(i), "ratelimit.rules[" + i + "]", parser, limiter, binder))
			.toList();
		Predicate<RateLimitRule> needsPrincipal = (rule) -> rule.binding().needsPrincipal();
		return new BoundRules(rules.stream().filter(needsPrincipal.negate()).toList(),
				rules.stream().filter(needsPrincipal).toList());
	}

	List<RateLimitRule> all() {
		return Stream.concat(this.beforeSecurity.stream(), this.afterSecurity.stream()).toList();
	}

	private static RateLimitRule bind(RateLimitProperties.Rule rule, String property, PathPatternParser parser,
			RateLimiter limiter, PolicyBinder binder) {
		PathPattern pattern = pattern(required(rule.path(), property + ".path"), property + ".path", parser);
		String policy = required(rule.policy(), property + ".policy");
		String methods = rule.methods().isEmpty() ? "" : String.join(", ", rule.methods()) + " ";
		return new RateLimitRule(pattern, rule.methods(),
				binder.bindRule(limiter.policy(policy), "rule " + methods + pattern.getPatternString()));
	}

	private static PathPattern pattern(String path, String property, PathPatternParser parser) {
		try {
			return parser.parse(parser.initFullPathPattern(path));
		}
		catch (PatternParseException ex) {
			throw new InvalidRateLimitPropertyException(property, path,
					"is not a path pattern: " + ex.toDetailedString(),
					"Write a pattern such as /api/**, /users/{id} or /files/*.pdf.", ex);
		}
	}

	private static String required(@Nullable String value, String property) {
		if (!StringUtils.hasText(value)) {
			throw new InvalidRateLimitPropertyException(property, null, "is missing",
					"Give each rule a path and a policy.", null);
		}
		return value;
	}

}
