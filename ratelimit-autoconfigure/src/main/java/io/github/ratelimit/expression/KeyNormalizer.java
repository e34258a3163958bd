package io.github.ratelimit.expression;

import java.text.Normalizer;
import java.util.Locale;
import java.util.function.UnaryOperator;

import io.github.ratelimit.ReadableText;

/**
 * Normalizes keys, so that none is long, and that the value of an expression is never the
 * same key as one of our own.
 */
final class KeyNormalizer {

	/** The key of all calls without a key of their own outside a request. */
	static final String SHARED = "shared:";

	private static final String ADDRESS = "address:";

	private static final String HASH = "sha256:";

	private static final int LONGEST = 256;

	/* Each changes what the one before has made of some letters. */
	private static final int MOST_FOLDS = 4;

	private KeyNormalizer() {
	}

	/**
	 * The key of a request whose own key is empty or failed.
	 */
	static String ofAddress(String address) {
		return ADDRESS + address;
	}

	/**
	 * The key of the value of an expression, which may be anything that a client sends. A
	 * value that is long, or looks like a key of our own, is hashed.
	 */
	static String of(String text) {
		boolean ours = text.startsWith(ADDRESS) || text.startsWith(HASH) || text.startsWith(SHARED);
		return (ours || text.length() > LONGEST) ? HASH + ReadableText.hash(text) : text;
	}

	/**
	 * The key that somebody typed.
	 * @param addresses writes a client's address as requests have it
	 */
	static String ofTyped(String text, UnaryOperator<String> addresses) {
		if (text.length() > LONGEST) {
			return HASH + ReadableText.hash(text);
		}
		return text.startsWith(ADDRESS) ? ofAddress(addresses.apply(text.substring(ADDRESS.length()))) : text;
	}

	/**
	 * The key that somebody typed, of a policy whose key is the client's address and
	 * never falls back to it.
	 * @param addresses writes a client's address as requests have it
	 */
	static String ofTypedAddress(String text, UnaryOperator<String> addresses) {
		return ofTyped(addresses.apply(text.startsWith(ADDRESS) ? text.substring(ADDRESS.length()) : text), addresses);
	}

	/**
	 * One spelling of a name for all that a login may take for the same: without the
	 * blanks around it, whatever the case, and of equivalent characters the plain ones. A
	 * text that is too long for a name is left as it is.
	 */
	static String folded(String text) {
		if (text.length() > LONGEST) {
			return text;
		}
		String folded = text;
		for (int i = 0; i < MOST_FOLDS; i++) {
			String plain = Normalizer.normalize(folded, Normalizer.Form.NFKC);
			String next = plain.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT).trim().strip();
			if (next.equals(folded)) {
				break;
			}
			folded = next;
		}
		return folded;
	}

}
