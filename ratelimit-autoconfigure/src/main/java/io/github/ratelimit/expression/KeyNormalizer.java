package io.github.ratelimit.expression;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.UnaryOperator;

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
		return (ours || text.length() > LONGEST) ? HASH + hash(text) : text;
	}

	/**
	 * The key that somebody typed.
	 * @param addresses writes a client's address as requests have it
	 */
	static String ofTyped(String text, UnaryOperator<String> addresses) {
		if (text.length() > LONGEST) {
			return HASH + hash(text);
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

	private static String hash(String text) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			return HexFormat.of().formatHex(digest.digest(bytes(text)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform must have SHA-256", ex);
		}
	}

	/*
	 * An encoding would replace invalid Unicode, so that different texts had one hash.
	 */
	private static byte[] bytes(String text) {
		ByteBuffer bytes = ByteBuffer.allocate(text.length() * Character.BYTES);
		bytes.asCharBuffer().put(text);
		return bytes.array();
	}

}
