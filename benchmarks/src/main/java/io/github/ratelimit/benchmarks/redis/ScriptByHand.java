package io.github.ratelimit.benchmarks.redis;

import java.util.List;
import java.util.function.Function;

/**
 * A script that others have, or that one writes by hand, over a plain connection.
 */
final class ScriptByHand implements Contender {

	private final PlainScript script;

	private final List<String> clients;

	private final Function<String, byte[][]> keys;

	private final byte[][] arguments;

	private ScriptByHand(Task task, String file, Function<String, byte[][]> keys, Object... arguments) {
		this.script = PlainScript.ofFile(task.redis(), file);
		this.clients = task.keys();
		this.keys = keys;
		this.arguments = List.of(arguments).stream().map(PlainScript::bytes).toArray(byte[][]::new);
	}

	/**
	 * A script in the shape of Spring Cloud Gateway's. The plain connection is quicker
	 * than the reactive template that Gateway calls it through.
	 */
	static ScriptByHand gateway(Task task) {
		return new ScriptByHand(task, "gateway.lua", (client) -> {
			String prefix = "request_rate_limiter.{" + client + "}.";
			return new byte[][] { PlainScript.bytes(prefix + "tokens"), PlainScript.bytes(prefix + "timestamp") };
		}, task.budget().permitsPerSecond(), task.budget().permits());
	}

	/**
	 * The generic cell rate algorithm: one key, one number.
	 */
	static ScriptByHand gcra(Task task) {
		long interval = task.budget().microsPerPermit();
		return new ScriptByHand(task, "gcra.lua", (client) -> new byte[][] { PlainScript.bytes("gcra:" + client) },
				interval, interval * task.budget().permits());
	}

	@Override
	public boolean decide(int key) throws Exception {
		byte[][] keys = this.keys.apply(this.clients.get(key));
		return this.script.<List<Long>>call(keys, this.arguments).get(0) == 1;
	}

	@Override
	public void close() {
		this.script.close();
	}

}
