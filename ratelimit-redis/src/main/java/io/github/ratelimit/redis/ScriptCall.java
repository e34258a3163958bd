package io.github.ratelimit.redis;

import java.util.function.Function;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;

import org.springframework.data.redis.core.script.DigestUtils;

/**
 * A script, what to run it with, and how to read its answer.
 *
 * @param <T> what the answer says
 */
abstract class ScriptCall<T> implements RemoteStore.Call<T> {

	final ScriptRunner runner;

	final Script script;

	/**
	 * All keys that the script uses; on a cluster, of one hash slot.
	 */
	final byte[][] keys;

	/**
	 * Creates a call.
	 * @param runner runs the script
	 * @param script the script, which answers bytes
	 * @param keys all keys that it uses; on a cluster, of one hash slot
	 */
	ScriptCall(ScriptRunner runner, Script script, byte[]... keys) {
		this.runner = runner;
		this.script = script;
		this.keys = keys;
	}

	/**
	 * Creates a call whose arguments depend on no moment.
	 * @param reader reads the answer
	 */
	static <T> ScriptCall<T> of(ScriptRunner runner, Script script, byte[][] keys, byte[][] arguments,
			Function<byte[], T> reader) {
		return new ScriptCall<>(runner, script, keys) {

			@Override
			byte[][] arguments() {
				return arguments;
			}

			@Override
			T read(byte[] answer) {
				return reader.apply(answer);
			}

		};
	}

	@Override
	public final RemoteStore.Answer<T> start(Deadline deadline) {
		return this.runner.start(this, deadline);
	}

	/**
	 * Returns what the script gets besides its keys, for the moment that was last taken.
	 * Called each time that the script is sent.
	 */
	abstract byte[][] arguments();

	/**
	 * Takes a moment of the server, for which the arguments are from then on.
	 * @param now microseconds since the epoch
	 * @return whether the arguments depend on the moment
	 */
	boolean takeMoment(long now) {
		return false;
	}

	/**
	 * Reads the answer.
	 */
	abstract T read(byte[] answer);

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
