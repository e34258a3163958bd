package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;

import io.github.ratelimit.support.ReadableText;

/**
 * Names a policy's keys in Redis: <code>prefix:{policy:key}</code>. The braces keep all
 * of a key's state on one node of a cluster. Text that could end them early, or be
 * mistaken for another key's, or is long, is replaced by its hash.
 */
final class RedisKeys {

	private static final int MAX_PLAIN_LENGTH = 128;

	private static final String HASHED = "sha256-";

	private final String beginning;

	private final int[] logs;

	/**
	 * Creates the names.
	 * @param prefix what all keys of this application begin with
	 * @param policy the policy's name
	 * @param logs which of its limits keep a log, counted from 1, which is a key of its
	 * own
	 */
	RedisKeys(String prefix, String policy, int... logs) {
		this.beginning = prefix + ":{" + plain(policy, ':') + ":";
		this.logs = logs;
	}

	/**
	 * Returns the names of a key's state, and of its logs.
	 */
	byte[][] of(String key) {
		return of(key, false);
	}

	/**
	 * Returns the names of a key's state, and of its logs.
	 * @param key the key
	 * @param ban whether that of its ban is to follow
	 */
	byte[][] of(String key, boolean ban) {
		String state = this.beginning + plain(key, '}') + "}";
		int length = 1 + this.logs.length;
		byte[][] keys = new byte[ban ? length + 1 : length][];

		keys[0] = bytes(state);
		if (ban) {
			keys[length] = bytes(state + ":ban");
		}
		for (int i = 0; i < this.logs.length; i++) {
			keys[1 + i] = bytes(state + ":log" + this.logs[i]);
		}
		return keys;
	}

	static byte[] bytes(String name) {
		return name.getBytes(StandardCharsets.UTF_8);
	}

	private static String plain(String text, char separator) {
		if (isPlain(text, separator)) {
			return text;
		}
		return HASHED + ReadableText.hash(text);
	}

	private static boolean isPlain(String text, char separator) {
		if (text.isEmpty() || text.length() > MAX_PLAIN_LENGTH || text.startsWith(HASHED)) {
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

}
