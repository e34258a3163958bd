package io.github.ratelimit.redis;

import java.util.concurrent.atomic.AtomicInteger;

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
	public byte[] run(Script script, byte[][] keys, byte[][] arguments) {
		this.calls.incrementAndGet();
		return this.runner.run(script, keys, arguments);
	}

	@Override
	public void delete(byte[][] keys) {
		this.calls.incrementAndGet();
		this.runner.delete(keys);
	}

	@Override
	public void close() {
		this.runner.close();
	}

}
