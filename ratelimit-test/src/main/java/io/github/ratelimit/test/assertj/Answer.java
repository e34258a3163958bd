package io.github.ratelimit.test.assertj;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * An HTTP response, whoever received it, and what it says about rate limits.
 */
final class Answer {

	private static final int MAX_SHOWN = 300;

	/* Possessive, so that no text is too long. */
	private static final String CHARACTERS = "[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+";

	private static final String STRING = "\"(" + CHARACTERS + ")\"";

	private static final Pattern QUOTED = Pattern.compile(STRING);

	/* An item of a list of RFC 9651, with its parameters. */
	private static final Pattern ITEM = Pattern.compile(STRING + "((?:\\s*;[^,;\"]*)*)");

	private static final Pattern REMAINING = Pattern.compile(";\\s*r=(\\d+)");

	private static final Pattern TYPE = Pattern.compile("\"type\"\\s*:\\s*" + STRING);

	private static final Pattern VIOLATED = Pattern
		.compile("\"violated-policies\"\\s*:\\s*\\[((?:[^\"\\]]++|\"" + CHARACTERS + "\")*+)]");

	final int status;

	private final Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

	private final String body;

	Answer(int status, Map<String, List<String>> fields, @Nullable Object body) {
		this.status = status;
		this.fields.putAll(fields);
		this.body = text(body);
	}

	private static String text(@Nullable Object body) {
		if (body instanceof byte[] bytes) {
			return new String(bytes, StandardCharsets.UTF_8);
		}
		return Objects.toString(body, "");
	}

	@Nullable String field(String name) {
		List<String> values = this.fields.get(name);
		return (values == null || values.isEmpty()) ? null : String.join(", ", values);
	}

	/**
	 * What remains of each limit, as the field {@code RateLimit} says.
	 */
	Map<String, Long> remaining() {
		Map<String, Long> remaining = new LinkedHashMap<>();
		Matcher item = ITEM.matcher(Objects.requireNonNullElse(field("RateLimit"), ""));
		while (item.find()) {
			Matcher number = REMAINING.matcher(item.group(2));
			if (number.find()) {
				remaining.put(unescaped(item.group(1)), Long.valueOf(number.group(1)));
			}
		}
		return remaining;
	}

	@Nullable String problemType() {
		Matcher type = TYPE.matcher(this.body);
		return type.find() ? unescaped(type.group(1)) : null;
	}

	/**
	 * The limits that the problem names, or {@code null} if the body is no such problem.
	 */
	@Nullable List<String> violated() {
		Matcher violated = VIOLATED.matcher(this.body);
		if (!violated.find()) {
			return null;
		}
		List<String> names = new ArrayList<>();
		Matcher name = QUOTED.matcher(violated.group(1));
		while (name.find()) {
			names.add(unescaped(name.group(1)));
		}
		return names;
	}

	private static String unescaped(String text) {
		return text.replaceAll("\\\\(.)", "$1");
	}

	/**
	 * The response as people read it: its status, all fields about rate limits, and how
	 * the body begins.
	 */
	@Override
	public String toString() {
		String shown = this.body;
		if (shown.length() > MAX_SHOWN) {
			shown = shown.substring(0, MAX_SHOWN) + "…";
		}

		String aboutLimits = this.fields.keySet()
			.stream()
			.filter(Answer::isAboutLimits)
			.map((name) -> name + ": " + field(name) + "\n")
			.collect(Collectors.joining());
		return "status " + this.status + "\n" + aboutLimits + "\n" + shown;
	}

	private static boolean isAboutLimits(String name) {
		return name.regionMatches(true, 0, "RateLimit", 0, 9) || name.regionMatches(true, 0, "X-RateLimit", 0, 11)
				|| name.equalsIgnoreCase("Retry-After") || name.equalsIgnoreCase("Content-Type");
	}

}
