package io.github.ratelimit.redis;

import org.springframework.data.redis.core.script.DigestUtils;

/**
 * A Lua script, and the name by which a server that has it can run it.
 *
 * @param text the script
 * @param sha1 what {@code EVALSHA} calls it
 * @param repairing the script that does the same where a key holds something that is not
 * ours
 */
record Script(String text, String sha1, String repairing) {

	static Script of(String text, String repairing) {
		return new Script(text, DigestUtils.sha1DigestAsHex(text), repairing);
	}

}
