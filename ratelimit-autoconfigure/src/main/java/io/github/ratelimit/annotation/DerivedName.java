package io.github.ratelimit.annotation;

import java.util.regex.Pattern;

/**
 * Makes what a class and a method are called into a name that a policy can have.
 * Languages allow more in names than fields of a header and addresses do.
 */
final class DerivedName {

	/* A number may still come behind. */
	private static final int LONGEST = 120;

	private static final int LONGEST_BEFORE_HASH = LONGEST - 9;

	private static final Pattern IMPOSSIBLE = Pattern.compile("[^ -~]|[/\\\\;%]");

	private DerivedName() {
	}

	/*
	 * What had to be changed has the hash of the original, so that names that differ stay
	 * different, whichever is seen first.
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
