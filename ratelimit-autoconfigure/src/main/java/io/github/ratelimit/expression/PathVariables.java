package io.github.ratelimit.expression;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.support.Suggestion;

/**
 * The variables of the patterns of paths.
 */
final class PathVariables {

	/* A name, and perhaps a regular expression, with braces of its own. */
	private static final Pattern VARIABLE = Pattern.compile("\\{\\*?([^{}:/]+)(?::(?:[^{}]|\\{[^{}]*})*)?}");

	private PathVariables() {
	}

	/**
	 * The names of the variables.
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

	static InvalidRateLimitException missing(ExpressionPlace place, String name, Collection<String> patterns,
			Set<String> known) {
		String paths = (patterns.size() == 1) ? "the path '" : "the paths '";
		String action = known.isEmpty()
				? "Write the variable in the pattern of the path, such as /users/{" + name + "}."
				: Suggestion.of(name, known);
		return place.invalid("reads pathVariable('" + name + "'), which " + paths + String.join("', '", patterns) + "' "
				+ ((patterns.size() == 1) ? "does" : "do") + " not have", action);
	}

}
