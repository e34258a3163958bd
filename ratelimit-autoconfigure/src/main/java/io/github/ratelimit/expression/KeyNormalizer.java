package io.github.ratelimit.expression;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Makes texts into keys that are never long, and that never meet one that was made
 * another way.
 */
public final class KeyNormalizer {

	/** The key of calls that nothing tells apart. */
	static final String SHARED = "shared:";

	private static final String ADDRESS = "address:";

	private static final String HASH = "sha256:";

	private static final int LONGEST = 256;

	private KeyNormalizer() {
	}

	/**
	 * The key of a request that should have had another.
	 */
	static String ofAddress(String address) {
		return ADDRESS + address;
	}

	/**
	 * The key that an expression gave. It may hold anything that a client sends: what is
	 * long, or looks like one of our own, is hashed.
	 */
	static String of(String text) {
		boolean ours = text.startsWith(ADDRESS) || text.startsWith(HASH) || text.startsWith(SHARED);
		return (ours || text.length() > LONGEST) ? HASH + hash(text) : text;
	}

	/**
	 * The key that a person means who asks how a key stands.
	 * @param text what an expression gave, or what is shown as a key: {@code shared:},
	 * {@code address:} with the client's address, or {@code sha256:} with a hash
	 * @return the key that its state is held under
	 */
	public static String asked(String text) {
		return (text.length() > LONGEST) ? HASH + hash(text) : text;
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
	 * An encoding would replace what is not valid Unicode, and make different texts one.
	 */
	private static byte[] bytes(String text) {
		ByteBuffer bytes = ByteBuffer.allocate(text.length() * Character.BYTES);
		bytes.asCharBuffer().put(text);
		return bytes.array();
	}

}
