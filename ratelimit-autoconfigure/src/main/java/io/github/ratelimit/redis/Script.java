package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script, and the name by which a server that has it can run it.
 *
 * @param text the script
 * @param sha1 what {@code EVALSHA} calls it
 * @param mending the script that does the same where a key holds something that is not
 * ours
 */
record Script(String text, String sha1, String mending) {

	static Script of(String text, String mending) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
			return new Script(text, HexFormat.of().formatHex(digest), mending);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
	}

}
