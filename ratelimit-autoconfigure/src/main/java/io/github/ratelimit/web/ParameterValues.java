package io.github.ratelimit.web;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Collects the values of a parameter that those who serve a request may find. Behind a
 * gateway they may know the name in another case, as PHP knows it ({@code +a},
 * {@code a[]}, {@code a.b} for {@code a_b}), or take a semicolon for the end of a value.
 */
final class ParameterValues {

	private final String name;

	private final List<String> found = new ArrayList<>(1);

	private boolean malformed;

	/**
	 * Begins to look for values.
	 * @param name the parameter's name
	 */
	ParameterValues(String name) {
		this.name = name;
	}

	/**
	 * Adds the values of a parameter that was sent, if they may be found.
	 * @param name its name, decoded
	 * @param values its values, decoded; one without a text is empty
	 */
	void add(String name, List<@Nullable String> values) {
		boolean named = isNamed(name);
		for (int i = 0; i < values.size(); i++) {
			String value = Objects.requireNonNullElse(values.get(i), "");
			if (named) {
				find(value);
			}

			int end = value.indexOf(';');
			if (end >= 0) {
				addParts(named, value, end);
			}
		}
	}

	private void addParts(boolean named, String value, int end) {
		if (named) {
			find(value.substring(0, end));
		}
		for (String part : value.substring(end + 1).split(";")) {
			int equals = part.indexOf('=');
			if (equals >= 0 && isNamed(part.substring(0, equals))) {
				find(part.substring(equals + 1));
			}
		}
	}

	private void find(String value) {
		this.found.add(value);
		this.malformed |= SentForm.isMalformed(value);
	}

	boolean isNamed(String sent) {
		int start = sent.lastIndexOf(';') + 1;
		while (start < sent.length() && Character.isWhitespace(sent.charAt(start))) {
			start++;
		}

		int end = start + this.name.length();
		if (end > sent.length()) {
			return false;
		}
		boolean ended = end == sent.length() || sent.charAt(end) == '[' || sent.charAt(end) == 0;
		if (!ended) {
			return false;
		}

		for (int i = 0; i < this.name.length(); i++) {
			if (plain(sent.charAt(start + i)) != plain(this.name.charAt(i))) {
				return false;
			}
		}
		return true;
	}

	private static char plain(char c) {
		if (c == '.' || c == ' ' || c == '[') {
			return '_';
		}
		return Character.toLowerCase(Character.toUpperCase(c));
	}

	/**
	 * Lists all values that may be found.
	 * @return the values, each once; empty if one could not be decoded
	 */
	List<String> distinct() {
		if (this.malformed) {
			return List.of();
		}
		if (this.found.size() < 2) {
			return this.found;
		}
		return new ArrayList<>(new LinkedHashSet<>(this.found));
	}

}
