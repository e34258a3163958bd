package io.github.ratelimit.redis;

import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Function;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts over one Lettuce connection to each server, which all threads share. It
 * waits for an answer no longer than the time-out, whatever the application's own is.
 */
final class LettuceScriptRunner implements ScriptRunner {

	/*
	 * One thread may wait for servers that do not answer. The other repeats calls that a
	 * server will answer in a moment.
	 */
	private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(2,
			new BackgroundThreads("ratelimit-redis-watch"));

	private final boolean cluster;

	private final LettuceServers servers;

	private final String server;

	LettuceScriptRunner(LettuceConnectionFactory factory) {
		this.scheduler.setRemoveOnCancelPolicy(true);
		this.cluster = factory.isClusterAware();
		this.server = (this.cluster || factory.isRedisSentinelAware()) ? ""
				: factory.getHostName() + ":" + factory.getPort();
		this.servers = this.cluster ? new LettuceCluster(factory, this.scheduler)
				: new LettuceServer(factory, this.scheduler);
	}

	@Override
	public void connect() {
		this.servers.connect();
	}

	@Override
	public PendingCall<byte[]> start(ScriptCall call, Deadline deadline) {
		return new LettuceScriptCall(this.servers, this.scheduler, call, deadline).start();
	}

	@Override
	public boolean isCluster() {
		return this.cluster;
	}

	@Override
	public String node(byte[] key) {
		LettuceNode node = this.servers.known(key);
		return (node != null) ? node.name() : "";
	}

	@Override
	public Set<String> nodes() {
		return this.servers.names();
	}

	@Override
	public String server() {
		return this.server;
	}

	@Override
	public void close() {
		this.scheduler.shutdown();
		this.servers.close();
	}

	/**
	 * A call of a script. A server that does not know it is sent its text, and where a
	 * key holds something else, the script that repairs it.
	 */
	static final class LettuceScriptCall extends LettuceCall<byte[]> {

		private final ScriptCall call;

		private boolean repairing;

		LettuceScriptCall(LettuceServers servers, ScheduledExecutorService scheduler, ScriptCall call,
				Deadline deadline) {
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

}
