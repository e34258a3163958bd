package io.github.ratelimit.redis;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;

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
		return this.runner.start(counted(call), deadline);
	}

	private <T> ScriptCall<T> counted(ScriptCall<T> call) {
		this.calls.incrementAndGet();
		LongFunction<ScriptCall<T>> later = call.later();
		return new ScriptCall<>(call.script(), call.keys(), call.arguments(), call.reader(),
				(later != null) ? (now) -> counted(later.apply(now)) : null);
	}

}
