package io.github.ratelimit.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Validates {@code ratelimit.rules}: a rule that could match no request fails start-up.
 */
final class RuleValidation {

	private static final List<String> METHODS = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
			"TRACE");

	/* Most paths. None of the mistakes can be in one of these. */
	private static final Pattern PLAIN_PATH = Pattern.compile("(/[A-Za-z0-9_*-]+)+");

	private RuleValidation() {
	}

	static void check(RateLimitProperties properties) {
		for (int i = 0; i < properties.rules().size(); i++) {
			check(properties.rules().get(i), "ratelimit.rules[" + i + "]", properties.policies().keySet());
		}
	}

	private static void check(RateLimitProperties.Rule rule, String property, Collection<String> policies) {
		checkPath(rule.path(), property + ".path");
		checkPolicy(rule.policy(), property + ".policy", policies);
		for (int i = 0; i < rule.methods().size(); i++) {
			checkMethod(rule.methods().get(i), property + ".methods[" + i + "]");
		}
	}

	private static void checkPath(@Nullable String path, String property) {
		if (!StringUtils.hasText(path)) {
			throw InvalidRateLimitException.property(property, null, (path != null) ? "is empty" : "is missing",
					"Set it to the pattern of the paths to limit, such as /api/**, or /** for all of them.", null);
		}
		PatternMistake mistake = PLAIN_PATH.matcher(path).matches() ? null : PatternMistake.of(path);
		if (mistake != null) {
			throw InvalidRateLimitException.property(property, path, mistake.reason(), mistake.action(), null);
		}
	}

	private static void checkPolicy(@Nullable String policy, String property, Collection<String> policies) {
		if (!StringUtils.hasText(policy)) {
			throw InvalidRateLimitException.property(property, null, "is missing",
					"Set it to the name of a policy of ratelimit.policies. " + Suggestion.known(policies), null);
		}
		if (!policies.contains(policy)) {
			throw InvalidRateLimitException.property(property, policy, "names no policy of ratelimit.policies",
					Suggestion.brackets(policy, policies) + Suggestion.of(policy, policies), null);
		}
	}

	private static void checkMethod(String method, String property) {
		if (!METHODS.contains(method)) {
			throw InvalidRateLimitException.property(property, method, "is not an HTTP method",
					Suggestion.question(method, METHODS) + "Remove methods to limit requests of any method.", null);
		}
	}

}
