package io.github.ratelimit.redis;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.remote.Deadline;

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
	public PendingCall start(ScriptCall call, Deadline deadline) {
		this.calls.incrementAndGet();
		return this.runner.start(call, deadline);
	}

}
