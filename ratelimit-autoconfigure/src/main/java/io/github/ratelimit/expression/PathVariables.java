package io.github.ratelimit.expression;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.support.Suggestion;

/**
 * Finds the variables in the patterns of paths.
 */
final class PathVariables {

	/* A name, and perhaps a regular expression, which may have braces of its own. */
	private static final Pattern VARIABLE = Pattern.compile("\\{\\*?([^{}:/]+)(?::(?:[^{}]|\\{[^{}]*})*)?}");

	private PathVariables() {
	}

	/**
	 * Returns the names of the variables.
	 * @param patterns patterns such as <code>/users/{id:[0-9]+}/{*rest}</code>
	 * @return the names, such as {@code id} and {@code rest}
	 */
	static Set<String> of(Collection<String> patterns) {
		Set<String> names = new LinkedHashSet<>();
		for (String pattern : patterns) {
			VARIABLE.matcher(pattern).results().forEach((variable) -> names.add(variable.group(1)));
		}
		return names;
	}

	static InvalidRateLimitException missing(ExpressionLocation location, String name, Collection<String> patterns,
			Set<String> known) {
		String reason = "reads pathVariable('" + name + "'), which " + absence(patterns);
		if (known.isEmpty()) {
			return location.invalid(reason,
					"Write the variable in the pattern of the path, such as /users/{" + name + "}.");
		}
		return location.invalid(reason, Suggestion.of(name, known));
	}

	private static String absence(Collection<String> patterns) {
		if (patterns.size() == 1) {
			return "the path '" + patterns.iterator().next() + "' does not have";
		}
		return "the paths '" + String.join("', '", patterns) + "' do not have";
	}

}
