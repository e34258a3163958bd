package io.github.ratelimit.redis;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.resilience.Deadline;

/**
 * Counts how often a server is asked.
 */
final class CountingRunner implements ScriptRunner {

	private final AtomicInteger calls = new AtomicInteger();

	private final ScriptRunner runner;

	CountingRunner(ScriptRunner runner) {
		this.runner = runner;
	}

	int calls() {
		return this.calls.get();
	}

	@Override
	public void connect() {
		this.runner.connect();
	}

	@Override
	public byte[] run(ScriptCall call, Deadline deadline) {
		this.calls.incrementAndGet();
		return this.runner.run(call, deadline);
	}

	@Override
	public List<ScriptAnswer> runAll(List<ScriptCall> calls, Deadline deadline) {
		this.calls.addAndGet(calls.size());
		return this.runner.runAll(calls, deadline);
	}

	@Override
	public void post(ScriptCall call) {
		this.calls.incrementAndGet();
		this.runner.post(call);
	}

	@Override
	public void delete(byte[][] keys, Deadline deadline) {
		this.calls.incrementAndGet();
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
