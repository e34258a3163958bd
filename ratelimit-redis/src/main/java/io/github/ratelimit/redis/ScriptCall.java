package io.github.ratelimit.redis;

import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.DigestUtils;

/**
 * A script, what to run it with, and how to read its answer.
 *
 * @param runner runs the script
 * @param script the script, which answers bytes
 * @param keys all keys that it uses; on a cluster, of one hash slot
 * @param arguments its other arguments, for the moment that was last taken
 * @param reader reads the answer
 * @param moment takes a moment of the server, or {@code null} if the arguments depend on
 * none
 * @param <T> what the answer says
 */
record ScriptCall<T>(ScriptRunner runner, Script script, byte[][] keys, Supplier<byte[][]> arguments,
		Function<byte[], T> reader, @Nullable LongConsumer moment) implements RemoteStore.Call<T> {

	ScriptCall(ScriptRunner runner, Script script, byte[][] keys, Supplier<byte[][]> arguments,
			Function<byte[], T> reader) {
		this(runner, script, keys, arguments, reader, null);
	}

	@Override
	public RemoteStore.Answer<T> start(Deadline deadline) {
		return this.runner.start(this, deadline);
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
