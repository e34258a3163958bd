package io.github.ratelimit.benchmarks.redis;

import java.util.concurrent.CompletableFuture;

import io.lettuce.core.ScriptOutputType;

/**
 * The least that can be asked of Redis in a script: nothing.
 */
final class Floor implements Contender {

	private static final byte[][] NO_KEYS = {};

	private final PlainScript script;

	Floor(Task task) {
		this.script = PlainScript.of(task.redis(), "return 1", ScriptOutputType.INTEGER);
	}

	@Override
	public boolean decide(int key) throws Exception {
		return this.script.<Long>call(NO_KEYS) == 1;
	}

	@Override
	public CompletableFuture<?> decideLater(int key) {
		return this.script.<Long>start(NO_KEYS).toCompletableFuture();
	}

	@Override
	public boolean isAllowed(Object answer) {
		return (Long) answer == 1;
	}

	@Override
	public void close() {
		this.script.close();
	}

}
