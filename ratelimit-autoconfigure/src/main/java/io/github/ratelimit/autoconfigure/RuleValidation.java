package io.github.ratelimit.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
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
		PatternMistake mistake = PLAIN_PATH.matcher(path).matches() ? null : PatternMistake.of(path);
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
	 * @param reason the mistake
	 * @param action what to write instead
	 */
	record PatternMistake(String reason, String action) {

		private static final List<Check> CHECKS = List.of(
				new Check("[A-Za-z][A-Za-z0-9+.-]+://.*", "is a URL, and not a path",
						(path) -> "Write only the path, such as " + pathOf(path) + "."),
				new Check("/?[A-Za-z]:[/\\\\].*", "is a path in a file system, and not of a URL",
						(path) -> "Write the path as clients send it, such as /api/**. A shell for Windows may have "
								+ "replaced its first slash."),
				new Check("[\\s\\h].*|.*[\\s\\h]", "begins or ends with a blank",
						(path) -> "Write " + path.strip() + " instead."),
				new Check(".*\\p{Cntrl}.*", "contains a control character", (path) -> "Remove it."),
				new Check(".*\\\\.*", "contains a backslash",
						(path) -> "Write " + path.replace('\\', '/') + " instead."),
				new Check("[^/].*", "does not begin with a slash", (path) -> "Write /" + path + " instead."),
				new Check(".*//.*", "contains an empty segment, which no path has once it is normalised",
						(path) -> "Write " + path.replaceAll("/{2,}", "/") + " instead."),
				new Check("(.*/)?\\.\\.?(/.*)?", "contains a dot segment, which no path has once it is normalised",
						(path) -> "Write the path that it leads to, " + StringUtils.cleanPath(path) + "."),
				new Check(".*%[0-9A-Fa-f]{2}.*", "is percent-encoded, while paths are matched decoded",
						(path) -> "Write " + decoded(path) + " instead."),
				new Check(".*\\?[^/]*=.*", "contains a query, while only paths are matched", (path) -> "Write "
						+ path.replaceAll("\\?.*", "")
						+ " instead, and look at parameters in the policy's key. In a pattern, ? stands for any "
						+ "character."),
				new Check(".*#.*", "contains a fragment, which clients do not send",
						(path) -> "Write " + path.replaceAll("#.*", "")
								+ " instead. For a path with a # in it, write ?."),
				new Check(".*;.*", "contains a matrix parameter, while paths are matched without them",
						(path) -> "Write " + path.replaceAll(";[^/]*", "")
								+ " instead. For a path with a semicolon in it, write ?."));

		/**
		 * Checks a pattern.
		 * @param path the pattern
		 * @return its first mistake, or {@code null} if it has none
		 */
		static @Nullable PatternMistake of(String path) {
			String outsideOfVariables = path.replaceAll("\\{(?:[^{}]|\\{[^{}]*})*}", "x");
			return CHECKS.stream()
				.filter((check) -> check.pattern().matcher(outsideOfVariables).matches())
				.findFirst()
				.map((check) -> new PatternMistake(check.reason(), check.action().apply(path)))
				.orElse(null);
		}

		private static String pathOf(String url) {
			String path = url.replaceFirst("^[^:]*://[^/]*", "").replaceFirst("[?#].*", "");
			return path.isEmpty() ? "/**" : path;
		}

		private static String decoded(String path) {
			try {
				return StringUtils.uriDecode(path, StandardCharsets.UTF_8);
			}
			catch (IllegalArgumentException ex) {
				return "it decoded";
			}
		}

		/**
		 * A kind of mistake.
		 *
		 * @param pattern matches patterns with this mistake, without their variables
		 * @param reason the mistake
		 * @param action what to write instead
		 */
		private record Check(Pattern pattern, String reason, UnaryOperator<String> action) {

			Check(String regex, String reason, UnaryOperator<String> action) {
				this(Pattern.compile(regex, Pattern.DOTALL), reason, action);
			}

		}

	}

}
