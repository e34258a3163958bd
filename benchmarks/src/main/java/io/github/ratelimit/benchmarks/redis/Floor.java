package io.github.ratelimit.benchmarks.redis;

import io.lettuce.core.ScriptOutputType;

/**
 * The least that can be asked of Redis in a script: nothing.
 */
final class Floor implements Contender {

	static final String SCRIPT = "return 1";

	private static final byte[][] NO_KEYS = {};

	private final PlainScript script;

	Floor(Task task) {
		this.script = PlainScript.of(task.redis(), SCRIPT, ScriptOutputType.INTEGER);
	}

	@Override
	public boolean decide(int key) throws Exception {
		return this.script.<Long>call(NO_KEYS) == 1;
	}

	@Override
	public void close() {
		this.script.close();
	}

}
