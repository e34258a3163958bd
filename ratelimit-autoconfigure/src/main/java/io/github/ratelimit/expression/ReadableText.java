package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * Makes text that a client may have sent safe to log: without line breaks and other
 * control characters, and short.
 */
final class ReadableText {

	private static final int LONGEST = 256;

	private ReadableText() {
	}

	static String of(@Nullable Object value) {
		String text = String.valueOf(value);
		return text.substring(0, Math.min(text.length(), LONGEST)).replaceAll("\\p{C}", "?");
	}

	/*
	 * For values that must not be shown.
	 */
	static String typeOf(@Nullable Object value) {
		return (value != null) ? "a " + value.getClass().getSimpleName() : "null";
	}

}
