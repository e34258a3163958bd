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
	public <T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline) {
		this.calls.incrementAndGet();
		return this.runner.start(new ForwardingCall<>(call, call.script) {

			@Override
			boolean takeMoment(long now) {
				boolean taken = super.takeMoment(now);
				if (taken) {
					CountingRunner.this.calls.incrementAndGet();
				}
				return taken;
			}

		}, deadline);
	}

}
