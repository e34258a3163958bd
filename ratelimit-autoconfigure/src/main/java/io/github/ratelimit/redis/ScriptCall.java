package io.github.ratelimit.redis;

import java.util.function.LongFunction;

import org.jspecify.annotations.Nullable;

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

}
