package io.github.ratelimit.redis;

import java.util.Set;

import io.github.ratelimit.remote.Deadline;

/**
 * Asks another runner, for those that change only some of what it does.
 */
abstract class ForwardingRunner implements ScriptRunner {

	final ScriptRunner runner;

	ForwardingRunner(ScriptRunner runner) {
		this.runner = runner;
	}

	@Override
	public void connect() {
		this.runner.connect();
	}

	@Override
	public <T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline) {
		return this.runner.start(call, deadline);
	}

	@Override
	public boolean isCluster() {
		return this.runner.isCluster();
	}

	@Override
	public String node(byte[] key) {
		return this.runner.node(key);
	}

	@Override
	public Set<String> nodes() {
		return this.runner.nodes();
	}

	@Override
	public String server() {
		return this.runner.server();
	}

	@Override
	public void close() {
		this.runner.close();
	}

}
