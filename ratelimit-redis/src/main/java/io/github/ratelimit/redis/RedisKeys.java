package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;

import io.github.ratelimit.support.ReadableText;

/**
 * Names a policy's keys in Redis: <code>prefix:{policy:key}</code>. The braces keep all
 * of a key's state on one node of a cluster. Text that could end them early, or be
 * mistaken for another key's, or is long, is replaced by its hash.
 */
final class RedisKeys {

	/**
	 * What the name of a key's ban ends with.
	 */
	static final String BAN = ":ban";

	/**
	 * What the name of its ban ends with that is only counted in shadow.
	 */
	static final String SHADOW_BAN = ":shadow-ban";

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
	 * Returns the names of a key's state, of its logs, and of its bans.
	 * @param key the key
	 * @param bans what the names of the bans end with
	 */
	byte[][] of(String key, String... bans) {
		String state = this.beginning + plain(key, '}') + "}";
		int length = 1 + this.logs.length;
		byte[][] keys = new byte[length + bans.length][];

		keys[0] = bytes(state);
		for (int i = 0; i < this.logs.length; i++) {
			keys[1 + i] = bytes(state + ":log" + this.logs[i]);
		}
		for (int i = 0; i < bans.length; i++) {
			keys[length + i] = bytes(state + bans[i]);
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
