package io.github.ratelimit.benchmarks.redis;

import java.util.List;

/**
 * The generic cell rate algorithm, as one writes it by hand: one key, one number.
 */
final class Gcra implements Contender {

	private final PlainScript script;

	private final List<String> keys;

	private final byte[] interval;

	private final byte[] capacity;

	Gcra(Task task) {
		this.script = PlainScript.ofFile(task.redis(), "gcra.lua");
		this.keys = task.keys();
		Budget budget = task.budget();
		this.interval = PlainScript.bytes(budget.microsPerPermit());
		this.capacity = PlainScript.bytes(budget.microsPerPermit() * budget.permits());
	}

	@Override
	public boolean decide(int key) throws Exception {
		byte[][] keys = { PlainScript.bytes("gcra:" + this.keys.get(key)) };
		return this.script.<List<Long>>call(keys, this.interval, this.capacity).get(0) == 1;
	}

	@Override
	public void close() {
		this.script.close();
	}

}
