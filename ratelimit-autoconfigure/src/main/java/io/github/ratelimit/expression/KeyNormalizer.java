package io.github.ratelimit.expression;

import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.support.ReadableText;

/**
 * Normalizes keys, so that none is long, and that the value of an expression is never the
 * same key as one of our own.
 */
final class KeyNormalizer {

	/** The key of all calls outside a request that have no key of their own. */
	static final String SHARED = "shared:";

	private static final String ADDRESS = "address:";

	private static final String HASH = "sha256:";

	private KeyNormalizer() {
	}

	/**
	 * Returns the key of a request whose own key is empty or has failed.
	 */
	static String ofAddress(String address) {
		return ADDRESS + address;
	}

	/**
	 * Returns the key of an expression's value, which may be anything that a client
	 * sends. A value that is long, or looks like a key of our own, is hashed.
	 */
	static String of(String text) {
		boolean ours = text.startsWith(ADDRESS) || text.startsWith(HASH) || text.startsWith(SHARED);
		if (ours || text.length() > RateLimiter.MAX_KEY_LENGTH) {
			return HASH + ReadableText.hash(text);
		}
		return text;
	}

	/**
	 * Returns the key that the state of a key that somebody typed is held under.
	 * @param text a value of the policy's key, or a key of our own
	 * @param key the policy's key expression
	 * @param ownKeys whether a location that the policy is applied to has a key of its
	 * own, which may be empty
	 * @param addresses writes a client's address as requests have it
	 */
	static String stateKey(String text, String key, boolean ownKeys, UnaryOperator<String> addresses) {
		if (!key.strip().equals("clientAddress")) {
			return ofTyped(text, addresses);
		}
		if (ownKeys || !text.startsWith(ADDRESS)) {
			return ofTyped(addresses.apply(text), addresses);
		}
		return ofTyped(addresses.apply(text.substring(ADDRESS.length())), addresses);
	}

	private static String ofTyped(String text, UnaryOperator<String> addresses) {
		if (text.length() > RateLimiter.MAX_KEY_LENGTH) {
			return HASH + ReadableText.hash(text);
		}
		if (text.startsWith(ADDRESS)) {
			return ofAddress(addresses.apply(text.substring(ADDRESS.length())));
		}
		return text;
	}

}
