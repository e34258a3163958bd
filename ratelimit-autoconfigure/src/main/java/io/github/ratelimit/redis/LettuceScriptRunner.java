package io.github.ratelimit.redis;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.resilience.Deadline;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts over one Lettuce connection to each server, which all threads share. It
 * waits for an answer no longer than the time-out, whatever the application's own is.
 */
final class LettuceScriptRunner implements ScriptRunner {

	/*
	 * One thread may wait for servers that do not answer. The other ends calls that no
	 * caller waits for, and repeats calls that a server will answer in a moment.
	 */
	private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(2,
			new BackgroundThreads("ratelimit-redis-watch"));

	private final UnawaitedCalls posted = new UnawaitedCalls(this.scheduler);

	private final UnawaitedCalls asked = new UnawaitedCalls(this.scheduler);

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
	public byte[] run(ScriptCall call, Deadline deadline) {
		return start(call, deadline).await();
	}

	private LettuceScriptCall start(ScriptCall call, Deadline deadline) {
		LettuceScriptCall started = new LettuceScriptCall(this.servers, this.scheduler, call, deadline);
		started.start();
		return started;
	}

	/*
	 * An answer that came in time stays one, although another did not.
	 */
	@Override
	public List<ScriptAnswer> runAll(List<ScriptCall> calls, Deadline deadline) {
		return calls.stream()
			.map((call) -> start(call, deadline))
			.toList()
			.stream()
			.map((call) -> ScriptAnswer.await(call::await))
			.toList();
	}

	@Override
	public CompletionStage<byte[]> post(ScriptCall call) {
		return this.posted.start(unawaited(call));
	}

	@Override
	public CompletionStage<byte[]> ask(ScriptCall call) {
		return this.asked.start(unawaited(call));
	}

	private LettuceScriptCall unawaited(ScriptCall call) {
		return new LettuceScriptCall(this.servers, this.scheduler, call, Deadline.after(UnawaitedCalls.LONGEST));
	}

	@Override
	public void delete(byte[][] keys, Deadline deadline) {
		new LettuceCall<>(this.servers, this.scheduler, keys[0], deadline, (commands) -> commands.del(keys)).start()
			.await();
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

}
