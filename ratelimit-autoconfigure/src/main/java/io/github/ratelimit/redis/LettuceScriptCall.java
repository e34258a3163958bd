package io.github.ratelimit.redis;

import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

import io.github.ratelimit.resilience.Deadline;
import io.github.ratelimit.resilience.StoreCallException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A call of a script. A server that does not know it is sent its text, and where a key
 * holds something else, the script that repairs it.
 */
final class LettuceScriptCall extends LettuceCall<byte[]> {

	private final ScriptCall call;

	private boolean repairing;

	LettuceScriptCall(LettuceServers servers, ScheduledExecutorService scheduler, ScriptCall call, Deadline deadline) {
		super(servers, scheduler, call.keys()[0], deadline, (commands) -> commands.evalsha(call.script().sha1(),
				ScriptOutputType.VALUE, call.keys(), call.arguments()));
		this.call = call;
	}

	@Override
	@Nullable Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<byte[]>> instead(
			RedisCommandExecutionException error) {
		if (this.repairing) {
			return null;
		}
		if (error instanceof RedisNoScriptException) {
			return eval(this.call.script().text());
		}
		if (RedisFailures.of(error).blame() == StoreCallException.Blame.KEY) {
			this.repairing = true;
			return eval(this.call.script().repairing());
		}
		return null;
	}

	private Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<byte[]>> eval(String text) {
		return (commands) -> commands.eval(text, ScriptOutputType.VALUE, this.call.keys(), this.call.arguments());
	}

}
