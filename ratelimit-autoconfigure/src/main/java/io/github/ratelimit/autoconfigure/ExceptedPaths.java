package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;

import org.springframework.http.server.PathContainer;
import org.springframework.util.StringUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The paths to which a rule does not apply, of which each must be among the rule's paths
 * and leave some of them.
 */
final class ExceptedPaths {

	/* Where the segments end that a path must have as they are written. */
	private static final Pattern PATTERN_SYNTAX = Pattern.compile("[*?{]");

	private static final Pattern ALL_BELOW = Pattern.compile("/(\\*\\*|\\{\\*\\w+})$");

	private ExceptedPaths() {
	}

	/**
	 * Checks paths that a rule excepts, as far as that can be told from the patterns.
	 * @param excepted the paths
	 * @param rule the pattern of the rule
	 * @param property the property that has the paths
	 * @throws InvalidRateLimitException if the rule would match no request, or the paths
	 * exclude nothing
	 */
	static void check(PathPattern excepted, PathPattern rule, String property) {
		String path = excepted.getPatternString();
		if (covers(excepted, rule)) {
			throw InvalidRateLimitException.property(property, path,
					"has all paths of the rule, whose path is " + rule + ", so that the rule would match no request",
					"Remove the rule, or write the paths among those of the rule that are not to be limited.", null);
		}
		if (!mayOverlap(excepted, rule)) {
			throw InvalidRateLimitException.property(property, path,
					"is no path of the rule, whose path is " + rule + ", so that it excludes nothing",
					"Write a path that the rule matches, or remove it.", null);
		}
	}

	private static boolean covers(PathPattern excepted, PathPattern rule) {
		if (excepted.equals(rule)) {
			return true;
		}
		if (!rule.hasPatternSyntax()) {
			return matches(excepted, rule);
		}

		String path = excepted.getPatternString();
		String start = ALL_BELOW.matcher(path).replaceFirst("");
		boolean isAllBelow = !start.equals(path) && !PATTERN_SYNTAX.matcher(start).find();
		return isAllBelow && rule.getPatternString().startsWith(start + "/");
	}

	private static boolean mayOverlap(PathPattern excepted, PathPattern rule) {
		if (!excepted.hasPatternSyntax()) {
			return matches(rule, excepted);
		}
		if (!rule.hasPatternSyntax()) {
			return matches(excepted, rule);
		}

		List<String> some = fixedSegments(excepted);
		List<String> others = fixedSegments(rule);
		for (int i = 0; i < Math.min(some.size(), others.size()); i++) {
			if (!some.get(i).equalsIgnoreCase(others.get(i))) {
				return false;
			}
		}
		return true;
	}

	private static boolean matches(PathPattern pattern, PathPattern path) {
		return pattern.matches(PathContainer.parsePath(path.getPatternString()));
	}

	/* The segments with which all paths begin, before the first that may vary. */
	private static List<String> fixedSegments(PathPattern pattern) {
		String fixed = PATTERN_SYNTAX.split(pattern.getPatternString(), 2)[0];
		String segments = fixed.substring(0, fixed.lastIndexOf('/'));
		return List.of(StringUtils.tokenizeToStringArray(segments, "/"));
	}

}
