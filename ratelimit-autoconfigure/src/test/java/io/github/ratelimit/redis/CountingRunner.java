package io.github.ratelimit.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.resilience.Deadline;

/**
 * Counts how often a server is asked.
 */
final class CountingRunner extends ForwardingRunner {

	private final AtomicInteger calls = new AtomicInteger();

	CountingRunner(ScriptRunner runner) {
		super(runner);
	}

	int calls() {
		return this.calls.get();
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
	public CompletionStage<byte[]> post(ScriptCall call) {
		this.calls.incrementAndGet();
		return this.runner.post(call);
	}

	@Override
	public CompletionStage<byte[]> ask(ScriptCall call) {
		this.calls.incrementAndGet();
		return this.runner.ask(call);
	}

	@Override
	public void delete(byte[][] keys, Deadline deadline) {
		this.calls.incrementAndGet();
		this.runner.delete(keys, deadline);
	}

}
