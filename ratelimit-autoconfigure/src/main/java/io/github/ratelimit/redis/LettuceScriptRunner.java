package io.github.ratelimit.redis;

import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.remote.Deadline;

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
	public PendingCall start(ScriptCall call, Deadline deadline) {
		return new LettuceCall(this.servers, this.scheduler, call, deadline).start();
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
