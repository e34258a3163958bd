package io.github.ratelimit.annotation;

import java.util.regex.Pattern;

/**
 * Derives a valid policy name from the names of a class and a method, in which languages
 * allow more characters than header fields and URLs do.
 */
final class DerivedName {

	/* Leaves room for a number at the end. */
	private static final int LONGEST = 120;

	private static final int LONGEST_BEFORE_HASH = LONGEST - 9;

	private static final Pattern IMPOSSIBLE = Pattern.compile("[^ -~]|[/\\\\;%]");

	private DerivedName() {
	}

	/*
	 * A name that has to be changed ends with the hash of the original, so that different
	 * names stay different.
	 */
	static String of(String text) {
		String possible = IMPOSSIBLE.matcher(text).replaceAll("_");
		if (possible.equals(text) && text.length() <= LONGEST) {
			return text;
		}
		String shortened = possible.substring(0, Math.min(possible.length(), LONGEST_BEFORE_HASH));
		return shortened + "-" + String.format("%08x", text.hashCode());
	}

}
