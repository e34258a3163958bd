package io.github.ratelimit.redis;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

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
		LongConsumer moment = call.moment();
		return this.runner.start(new ScriptCall<>(call.runner(), call.script(), call.keys(), call.arguments(),
				call.reader(), (moment != null) ? moment.andThen((now) -> this.calls.incrementAndGet()) : null),
				deadline);
	}

}
