package io.github.ratelimit.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Validates {@code ratelimit.rules}: a rule that could match no request fails start-up.
 * Rules are matched within the application and Spring MVC's servlet, and not on the
 * management port.
 */
final class RuleValidation {

	private static final List<String> METHODS = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
			"TRACE");

	/* Most paths. None of the mistakes can be in one of these. */
	private static final Pattern PLAIN_PATH = Pattern.compile("(/[A-Za-z0-9_*-]+)+");

	private static final List<String> PREFIXES = List.of("server.servlet.context-path", "spring.mvc.servlet.path");

	private static final String MANAGEMENT_PORT_TYPE = "org.springframework.boot.actuate.autoconfigure.web.server."
			+ "ManagementPortType";

	private RuleValidation() {
	}

	/**
	 * Checks a rule.
	 * @param rule the rule
	 * @param property the property that it is
	 * @param policies the names of the policies that are configured
	 * @param environment the environment of the application
	 */
	static void check(RateLimitProperties.Rule rule, String property, Collection<String> policies,
			Environment environment) {
		checkPath(rule.path(), property + ".path", environment);
		checkPolicy(rule.policy(), property + ".policy", policies);
		for (int i = 0; i < rule.methods().size(); i++) {
			checkMethod(rule.methods().get(i), property + ".methods[" + i + "]");
		}
	}

	private static void checkPath(@Nullable String path, String property, Environment environment) {
		if (!StringUtils.hasText(path)) {
			throw InvalidRateLimitException.property(property, null, (path != null) ? "is empty" : "is missing",
					"Set it to the pattern of the paths to limit, such as /api/**, or /** for all of them.", null);
		}
		PatternMistake mistake = PLAIN_PATH.matcher(path).matches() ? null : PatternMistake.find(path);
		if (mistake != null) {
			throw InvalidRateLimitException.property(property, path, mistake.reason(), mistake.action(), null);
		}
		for (String prefixProperty : PREFIXES) {
			String prefix = prefix(environment, prefixProperty, "");
			if (begins(path, prefix)) {
				String rest = path.substring(prefix.length());
				throw InvalidRateLimitException.property(property, path,
						"begins with " + prefixProperty + ", while paths are matched without it",
						"Write " + (rest.isEmpty() ? "/" : rest) + " instead. For a path that has it twice, write "
								+ "/{again:" + prefix.substring(1) + "}" + rest + ".",
						null);
			}
		}
		if (ClassUtils.isPresent(MANAGEMENT_PORT_TYPE, RuleValidation.class.getClassLoader())) {
			checkManagement(path, property, environment);
		}
	}

	/*
	 * Needs the actuator.
	 */
	private static void checkManagement(String path, String property, Environment environment) {
		String endpoints = prefix(environment, "management.endpoints.web.base-path", "/actuator");
		String server = prefix(environment, "management.server.base-path", "");
		if (ManagementPortType.get(environment) == ManagementPortType.DIFFERENT
				&& (begins(path, endpoints) || !server.isEmpty() && begins(path, server + endpoints))) {
			throw InvalidRateLimitException.property(property, path,
					"would have no effect, because the endpoints are on management.server.port, where no rule is enforced",
					"Remove the rule and restrict access to that port, or remove management.server.port.", null);
		}
	}

	private static String prefix(Environment environment, String property, String byDefault) {
		return StringUtils.trimTrailingCharacter(environment.getProperty(property, byDefault), '/');
	}

	private static boolean begins(String path, String prefix) {
		return !prefix.isEmpty() && (path.equals(prefix) || path.startsWith(prefix + "/"));
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

	/**
	 * The reason why no path can match a pattern: paths are matched within the
	 * application, decoded, normalised, and without a query.
	 *
	 * @param pattern matches patterns with this mistake, without their variables
	 * @param reason the mistake
	 * @param action what to write instead
	 */
	record PatternMistake(Pattern pattern, String reason, String action) {

		private static final List<PatternMistake> ALL = List.of(
				of("[A-Za-z][A-Za-z0-9+.-]+://.*", "is a URL, and not a path", "Write only the path, such as /api/**."),
				of("/?[A-Za-z]:[/\\\\].*", "is a path in a file system, and not of a URL",
						"Write the path as clients send it, such as /api/**. A shell for Windows may have replaced its "
								+ "first slash."),
				of("[\\s\\h].*|.*[\\s\\h]", "begins or ends with a blank", "Remove the blank."),
				of(".*\\p{Cntrl}.*", "contains a control character", "Remove it."),
				of(".*\\\\.*", "contains a backslash", "Write a slash instead."),
				of("[^/].*", "does not begin with a slash", "Write a slash before it."),
				of(".*//.*", "contains an empty segment, which no path has once it is normalised",
						"Write a single slash instead."),
				of("(.*/)?\\.\\.?(/.*)?", "contains a dot segment, which no path has once it is normalised",
						"Write the path that it leads to."),
				of(".*%[0-9A-Fa-f]{2}.*", "is percent-encoded, while paths are matched decoded",
						"Write the characters themselves."),
				of(".*\\?[^/]*=.*", "contains a query, while only paths are matched",
						"Remove the query, and look at parameters in the policy's key. In a pattern, ? stands for any "
								+ "character."),
				of(".*#.*", "contains a fragment, which clients do not send",
						"Remove the fragment. For a path with a # in it, write ?."),
				of(".*;.*", "contains a matrix parameter, while paths are matched without them",
						"Remove the parameter. For a path with a semicolon in it, write ?."));

		private static PatternMistake of(String regex, String reason, String action) {
			return new PatternMistake(Pattern.compile(regex, Pattern.DOTALL), reason, action);
		}

		/**
		 * Finds the first mistake of a pattern.
		 * @param path the pattern
		 * @return the mistake, or {@code null} if it has none
		 */
		static @Nullable PatternMistake find(String path) {
			String outsideOfVariables = path.replaceAll("\\{(?:[^{}]|\\{[^{}]*})*}", "x");
			for (PatternMistake mistake : ALL) {
				if (mistake.pattern.matcher(outsideOfVariables).matches()) {
					return mistake;
				}
			}
			return null;
		}

	}

}
