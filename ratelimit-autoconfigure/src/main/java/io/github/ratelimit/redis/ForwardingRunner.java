package io.github.ratelimit.redis;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.resilience.Deadline;

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
	public byte[] run(ScriptCall call, Deadline deadline) {
		return this.runner.run(call, deadline);
	}

	@Override
	public List<ScriptAnswer> runAll(List<ScriptCall> calls, Deadline deadline) {
		return this.runner.runAll(calls, deadline);
	}

	@Override
	public CompletionStage<byte[]> post(ScriptCall call) {
		return this.runner.post(call);
	}

	@Override
	public CompletionStage<byte[]> ask(ScriptCall call) {
		return this.runner.ask(call);
	}

	@Override
	public void delete(byte[][] keys, Deadline deadline) {
		this.runner.delete(keys, deadline);
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
