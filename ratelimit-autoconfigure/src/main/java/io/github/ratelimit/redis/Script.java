package io.github.ratelimit.redis;

import org.springframework.data.redis.core.script.DigestUtils;

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
		return new Script(text, DigestUtils.sha1DigestAsHex(text), mending);
	}

}
