package io.github.ratelimit;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Makes text that somebody else has sent safe to show and to log: short, and without
 * anything that breaks a line, or that turns its direction.
 *
 * @since 0.1.0
 */
public final class ReadableText {

	private static final int LONGEST = 256;

	/* U+2028 and U+2029 break lines, and are no control characters. */
	private static final Pattern UNREADABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	private ReadableText() {
	}

	/**
	 * Makes text safe.
	 * @param value the text, or what gives it
	 * @return at most 256 characters of it
	 */
	public static String of(@Nullable Object value) {
		return of(value, LONGEST);
	}

	/**
	 * Makes text safe.
	 * @param value the text, or what gives it
	 * @param longest how many characters it may have
	 * @return no more of it than that
	 */
	public static String of(@Nullable Object value, int longest) {
		String text = String.valueOf(value);
		return UNREADABLE.matcher(text.substring(0, Math.min(text.length(), longest))).replaceAll("?");
	}

	/**
	 * Says what a value is that must not be shown.
	 * @param value the value
	 * @return the name of its type
	 */
	public static String typeOf(@Nullable Object value) {
		return (value != null) ? "a " + value.getClass().getSimpleName() : "null";
	}

}
