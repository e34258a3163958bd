package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Names a policy's keys in Redis: <code>prefix:{policy:key}</code>. The braces keep all
 * of a key's state on one node of a cluster. Text that could end them early, or be
 * mistaken for another key's, or is long, is replaced by its hash.
 */
final class RedisKeys {

	private static final int LONGEST_PLAIN = 128;

	private static final String HASHED = "sha256-";

	private final byte[] beginning;

	private final int logs;

	/**
	 * Creates the names.
	 * @param prefix what all keys of this application begin with
	 * @param policy the policy's name
	 * @param logs how many of its limits keep a log, which is a key of its own
	 */
	RedisKeys(String prefix, String policy, int logs) {
		this.beginning = (prefix + ":{" + plain(policy, ':') + ":").getBytes(StandardCharsets.UTF_8);
		this.logs = logs;
	}

	byte[][] of(String key) {
		byte[] state = state(plain(key, '}'));
		byte[][] keys = new byte[1 + this.logs][];
		keys[0] = state;
		for (int i = 1; i <= this.logs; i++) {
			byte[] suffix = (":log" + i).getBytes(StandardCharsets.US_ASCII);
			keys[i] = Arrays.copyOf(state, state.length + suffix.length);
			System.arraycopy(suffix, 0, keys[i], state.length, suffix.length);
		}
		return keys;
	}

	private byte[] state(String plain) {
		int length = plain.length();
		byte[] state = Arrays.copyOf(this.beginning, this.beginning.length + length + 1);
		for (int i = 0; i < length; i++) {
			state[this.beginning.length + i] = (byte) plain.charAt(i);
		}
		state[state.length - 1] = '}';
		return state;
	}

	private static String plain(String text, char separator) {
		return isPlain(text, separator) ? text : HASHED + hash(text);
	}

	private static boolean isPlain(String text, char separator) {
		if (text.isEmpty() || text.length() > LONGEST_PLAIN || text.startsWith(HASHED)) {
			return false;
		}
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c <= ' ' || c >= 0x7f || c == '{' || c == '}' || c == separator) {
				return false;
			}
		}
		return true;
	}

	private static String hash(String text) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			for (int i = 0; i < text.length(); i++) {
				char c = text.charAt(i);
				digest.update((byte) (c >>> 8));
				digest.update((byte) c);
			}
			return HexFormat.of().formatHex(digest.digest());
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
