package io.github.ratelimit.support;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Makes text that somebody else has sent safe to show and to log: short, and without
 * anything that breaks a line, or that turns its direction; or hashes it.
 *
 * @since 0.1.0
 */
public final class ReadableText {

	private static final int MAX_LENGTH = 256;

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
		return of(value, MAX_LENGTH);
	}

	/**
	 * Makes text safe.
	 * @param value the text, or what gives it
	 * @param maxLength how many characters it may have
	 * @return no more of it than that
	 */
	public static String of(@Nullable Object value, int maxLength) {
		String text = String.valueOf(value);
		return UNREADABLE.matcher(text.substring(0, Math.min(text.length(), maxLength))).replaceAll("?");
	}

	/**
	 * Says what a value is that must not be shown.
	 * @param value the value
	 * @return the name of its type
	 */
	public static String typeOf(@Nullable Object value) {
		return (value != null) ? "a " + value.getClass().getSimpleName() : "null";
	}

	/**
	 * Hashes a text that is too long, or that nobody is to read, by its characters. An
	 * encoding would replace invalid Unicode, so that different texts had one hash.
	 * @param text the text
	 * @return its SHA-256 as 64 hexadecimal digits
	 */
	public static String hash(String text) {
		ByteBuffer characters = ByteBuffer.allocate(text.length() * Character.BYTES);
		characters.asCharBuffer().put(text);
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(characters.array()));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform must have SHA-256", ex);
		}
	}

	/**
	 * Hashes a text fast. Whoever does not know the seed cannot choose texts that have
	 * one hash.
	 * @param text the text
	 * @param seed a random number
	 * @return 64 bits, each of which depends on each character
	 */
	public static long hash(String text, long seed) {
		long hash = seed ^ text.length();
		for (int i = 0; i < text.length(); i++) {
			hash = mix(hash ^ text.charAt(i));
		}
		return mix(hash);
	}

	/**
	 * Spreads what differs in two numbers over all their bits: the finalizer of
	 * MurmurHash3.
	 * @param hash the number
	 * @return another for each
	 */
	public static long mix(long hash) {
		long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
		mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
		return mixed ^ (mixed >>> 33);
	}

}
