package io.github.ratelimit.web;

import org.jspecify.annotations.Nullable;

import org.springframework.web.util.pattern.PathPattern;

/**
 * A pattern of the kind that most are of, {@code /login} or {@code /api/**}: it is seen
 * from a path's text that the pattern matches.
 */
final class LiteralPattern {

	private static final String ANYTHING_BELOW = "/**";

	private final String path;

	private final @Nullable String above;

	private LiteralPattern(String path, @Nullable String above) {
		this.path = path;
		this.above = above;
	}

	/**
	 * Looks at a pattern.
	 * @param pattern the pattern
	 * @return what it says literally, or {@code null} if it is of another kind
	 */
	static @Nullable LiteralPattern of(PathPattern pattern) {
		String text = pattern.getPatternString();
		boolean open = text.endsWith(ANYTHING_BELOW);
		String path = open ? text.substring(0, text.length() - ANYTHING_BELOW.length()) : text;
		boolean literal = path.chars().allMatch((c) -> c == '/' || c == '-' || Character.isLetterOrDigit(c));
		return literal ? new LiteralPattern(path, open ? path + "/" : null) : null;
	}

	/**
	 * Whether a path certainly matches.
	 * @param text the path's text
	 * @return {@code false} if it must be parsed to know
	 */
	boolean matches(String text) {
		return text.equals(this.path) || (this.above != null && text.startsWith(this.above));
	}

}
