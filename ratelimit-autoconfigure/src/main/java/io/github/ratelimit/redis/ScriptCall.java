package io.github.ratelimit.redis;

import java.util.function.LongFunction;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.DigestUtils;

/**
 * A script and what to run it with.
 *
 * @param script the script, which answers bytes
 * @param keys all keys that it uses; on a cluster, of one hash slot
 * @param arguments its other arguments
 * @param later the same call for a moment of the server, or {@code null} if its arguments
 * depend on none
 */
record ScriptCall(Script script, byte[][] keys, byte[][] arguments, @Nullable LongFunction<ScriptCall> later) {

	ScriptCall(Script script, byte[][] keys, byte[][] arguments) {
		this(script, keys, arguments, null);
	}

	ScriptCall orLater(LongFunction<ScriptCall> later) {
		return new ScriptCall(this.script, this.keys, this.arguments, later);
	}

	/**
	 * A Lua script, and the name by which a server that has it can run it.
	 *
	 * @param text the script
	 * @param sha1 what {@code EVALSHA} calls it
	 * @param repairing the script that does the same where a key holds something that is
	 * not ours
	 */
	record Script(String text, String sha1, String repairing) {

		static Script of(String text, String repairing) {
			return new Script(text, DigestUtils.sha1DigestAsHex(text), repairing);
		}

	}

}
