package io.github.ratelimit.web.rules;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.springframework.http.server.PathContainer;
import org.springframework.util.StringUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Reads the variables of a pattern from a path that can be read in several ways. Who
 * serves the request may see those of any.
 */
final class VariableReadings {

	/* What follows a segment of a path after a semicolon. */
	private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");

	private VariableReadings() {
	}

	/**
	 * Reads the variables of each reading of a path.
	 * @param pattern the pattern
	 * @param path a path of which the pattern, or an encoding of it, matches a reading
	 * @return the values by name, once for readings that differ in encoding alone; a
	 * single empty map if the pattern itself matches none
	 */
	static Set<Map<String, String>> read(PathPattern pattern, RequestedPath path) {
		Set<Map<String, String>> variables = new LinkedHashSet<>();
		for (PathContainer reading : path.readings()) {
			PathPattern.PathMatchInfo match = pattern.matchAndExtract(reading);
			if (match != null) {
				variables.add(match.getUriVariables());
			}
		}
		if (variables.isEmpty()) {
			return Set.of(Map.of());
		}

		// who serves the request decodes them, and so they are no others
		variables.removeAll(variables.stream().filter((each) -> isDecodedAmong(each, variables)).toList());
		return variables;
	}

	private static boolean isDecodedAmong(Map<String, String> encoded, Set<Map<String, String>> variables) {
		Map<String, String> decoded = new HashMap<>();
		encoded.forEach((name, value) -> decoded.put(name, decode(value)));
		return !decoded.equals(encoded) && variables.contains(decoded);
	}

	private static String decode(String segments) {
		try {
			return StringUtils.uriDecode(PARAMETERS.matcher(segments).replaceAll(""), StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return segments;
		}
	}

}
