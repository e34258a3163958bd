package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * What a client may have sent, as part of a message that will be logged: no line breaks
 * or other controls, and no more than can be read.
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
	 * Of what must not be shown.
	 */
	static String typeOf(@Nullable Object value) {
		return (value != null) ? "a " + value.getClass().getSimpleName() : "null";
	}

}
