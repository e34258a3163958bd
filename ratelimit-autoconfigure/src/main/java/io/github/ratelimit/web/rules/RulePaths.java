package io.github.ratelimit.web.rules;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The paths that a rule applies to: all that match its pattern, and none of its
 * exceptions.
 */
final class RulePaths {

	private static final String ANYTHING_BELOW = "/**";

	private final PathPattern pattern;

	private final List<PathPattern> exceptions;

	/*
	 * The text of a pattern such as /login or /api/**, which the text of a path shows to
	 * match; null for other patterns.
	 */
	private final @Nullable String literal;

	private final boolean open;

	/* Whether a path that can be read in one way only is matched by its text alone. */
	private final boolean decidedByText;

	RulePaths(PathPattern pattern, List<PathPattern> exceptions) {
		this.pattern = pattern;
		this.exceptions = exceptions;
		this.open = pattern.getPatternString().endsWith(ANYTHING_BELOW);
		this.literal = literal(pattern.getPatternString(), this.open);
		this.decidedByText = this.literal != null && isCaseSensitive(pattern, this.literal);
	}

	private static @Nullable String literal(String pattern, boolean open) {
		String path = pattern;
		if (open) {
			path = pattern.substring(0, pattern.length() - ANYTHING_BELOW.length());
		}
		for (int i = 0; i < path.length(); i++) {
			char c = path.charAt(i);
			if (c != '/' && c != '-' && !Character.isLetterOrDigit(c)) {
				return null;
			}
		}
		return path;
	}

	private static boolean isCaseSensitive(PathPattern pattern, String literal) {
		String upper = literal.toUpperCase(Locale.ROOT);
		String lower = literal.toLowerCase(Locale.ROOT);
		String other = literal.equals(upper) ? lower : upper;
		return other.equals(literal) || !pattern.matches(PathContainer.parsePath(other));
	}

	PathPattern pattern() {
		return this.pattern;
	}

	/**
	 * Whether the rule applies to a path.
	 */
	boolean contain(RequestedPath path) {
		return matches(path) && !isException(path);
	}

	/**
	 * Whether the rule applies to a path that can be read in one way only.
	 */
	boolean contain(PathContainer path) {
		return this.pattern.matches(path) && !isException(path);
	}

	/*
	 * Whether the path matches as it may be read by anything that serves it.
	 */
	private boolean matches(RequestedPath path) {
		if (matchesText(path.text)) {
			return true;
		}
		if (this.decidedByText && path.isText()) {
			return false;
		}

		for (PathContainer reading : path.readings()) {
			if (this.pattern.matches(reading)) {
				return true;
			}
		}
		return false;
	}

	private boolean matchesText(@Nullable String text) {
		String literal = this.literal;
		if (text == null || literal == null || !text.startsWith(literal)) {
			return false;
		}
		return text.length() == literal.length() || (this.open && text.charAt(literal.length()) == '/');
	}

	/*
	 * A path is an exception only if all of its readings are: otherwise a client could
	 * write one that looks like it and is served as another.
	 */
	private boolean isException(RequestedPath path) {
		if (this.exceptions.isEmpty()) {
			return false;
		}
		List<PathContainer> readings = path.readings();
		for (PathContainer reading : readings) {
			if (!isException(reading)) {
				return false;
			}
		}
		return !readings.isEmpty();
	}

	private boolean isException(PathContainer reading) {
		for (PathPattern exception : this.exceptions) {
			if (exception.matches(reading)) {
				return true;
			}
		}
		return false;
	}

	@Override
	public String toString() {
		String path = this.pattern.getPatternString();
		if (this.exceptions.isEmpty()) {
			return path;
		}
		return path + " except "
				+ this.exceptions.stream().map(PathPattern::getPatternString).collect(Collectors.joining(", "));
	}

}
