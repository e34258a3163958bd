package io.github.ratelimit.expression;

import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Writes texts in upper and lower case in a time that grows with their length. The
 * platform's own methods take a time that grows with its square for a sigma, whose form
 * depends on the letters around it, and for letters that become several.
 */
final class LetterCase {

	/* Texts of up to this length are as the platform has them. */
	private static final int SHORT = 64;

	private LetterCase() {
	}

	/**
	 * Writes a text in lower case. In a long text every sigma is the one within a word.
	 */
	static String lower(String text, Locale locale) {
		if (text.length() <= SHORT) {
			return text.toLowerCase(locale);
		}
		return inParts(withoutSlowLetters(text, locale), (part) -> part.toLowerCase(locale));
	}

	private static String withoutSlowLetters(String text, Locale locale) {
		return text.replace('Σ', 'σ').replace('ς', 'σ').replace("İ", "İ".toLowerCase(locale));
	}

	/**
	 * Writes a text in upper case.
	 */
	static String upper(String text, Locale locale) {
		return inParts(text, (part) -> part.toUpperCase(locale));
	}

	private static String inParts(String text, UnaryOperator<String> mapping) {
		if (text.length() <= SHORT) {
			return mapping.apply(text);
		}

		StringBuilder mapped = new StringBuilder(text.length());
		int begin = 0;
		while (begin < text.length()) {
			int end = Math.min(begin + SHORT, text.length());
			if (end < text.length() && Character.isSurrogatePair(text.charAt(end - 1), text.charAt(end))) {
				end++;
			}
			mapped.append(mapping.apply(text.substring(begin, end)));
			begin = end;
		}
		return mapped.toString();
	}

}
