package io.github.ratelimit.benchmarks.redis;

import java.util.List;

/**
 * A script in the shape of Spring Cloud Gateway's, over a plain connection, which is
 * quicker than the reactive template that Gateway calls it through.
 */
final class Gateway implements Contender {

	private final PlainScript script;

	private final List<String> keys;

	private final byte[] rate;

	private final byte[] capacity;

	Gateway(Task task) {
		this.script = PlainScript.ofFile(task.redis(), "gateway.lua");
		this.keys = task.keys();
		this.rate = PlainScript.bytes(task.budget().permitsPerSecond());
		this.capacity = PlainScript.bytes(task.budget().permits());
	}

	@Override
	public boolean decide(int key) throws Exception {
		String prefix = "request_rate_limiter.{" + this.keys.get(key) + "}.";
		byte[][] keys = { PlainScript.bytes(prefix + "tokens"), PlainScript.bytes(prefix + "timestamp") };
		return this.script.<List<Long>>call(keys, this.rate, this.capacity).get(0) == 1;
	}

	@Override
	public void close() {
		this.script.close();
	}

}
