package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;

import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Fails start-up where the path of a rule can match no request: rules are matched within
 * the application and Spring MVC's servlet, and not on the management port.
 */
final class UnreachableRules {

	private static final String CONTEXT_PATH = "server.servlet.context-path";

	private static final String SERVLET_PATH = "spring.mvc.servlet.path";

	private static final String MANAGEMENT_PORT_TYPE = "org.springframework.boot.actuate.autoconfigure.web.server."
			+ "ManagementPortType";

	private UnreachableRules() {
	}

	static void check(RateLimitProperties properties, Environment environment) {
		List<RateLimitProperties.Rule> rules = properties.rules();
		for (int i = 0; i < rules.size(); i++) {
			String path = String.valueOf(rules.get(i).path());
			String property = "ratelimit.rules[" + i + "].path";
			checkPrefix(path, property, CONTEXT_PATH, environment);
			checkPrefix(path, property, SERVLET_PATH, environment);
			if (ClassUtils.isPresent(MANAGEMENT_PORT_TYPE, UnreachableRules.class.getClassLoader())) {
				Management.check(path, property, environment);
			}
		}
	}

	private static void checkPrefix(String path, String property, String prefixProperty, Environment environment) {
		String prefix = prefix(environment.getProperty(prefixProperty, ""));
		if (begins(path, prefix)) {
			String rest = path.substring(prefix.length());
			throw InvalidRateLimitException.property(property, path,
					"begins with " + prefixProperty + ", while paths are matched without it",
					"Write " + (rest.isEmpty() ? "/" : rest) + " instead. For a path that has it twice, write "
							+ "/{again:" + prefix.substring(1) + "}" + rest + ".",
					null);
		}
	}

	private static String prefix(String path) {
		return StringUtils.trimTrailingCharacter(path, '/');
	}

	private static boolean begins(String path, String prefix) {
		return !prefix.isEmpty() && (path.equals(prefix) || path.startsWith(prefix + "/"));
	}

	/**
	 * The check of the management port. Needs the actuator.
	 */
	private static final class Management {

		static void check(String path, String property, Environment environment) {
			if (ManagementPortType.get(environment) != ManagementPortType.DIFFERENT) {
				return;
			}
			for (String prefix : prefixes(environment)) {
				if (begins(path, prefix)) {
					throw InvalidRateLimitException.property(property, path,
							"would have no effect, because the endpoints are on management.server.port, where no rule "
									+ "is enforced",
							"Remove the rule and restrict access to that port, or remove management.server.port.",
							null);
				}
			}
		}

		private static List<String> prefixes(Environment environment) {
			String endpoints = prefix(environment.getProperty("management.endpoints.web.base-path", "/actuator"));
			String server = prefix(environment.getProperty("management.server.base-path", ""));
			List<String> prefixes = new ArrayList<>(List.of(endpoints));
			if (!server.isEmpty()) {
				prefixes.add(server + endpoints);
			}
			return prefixes;
		}

	}

}
