package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.resilience.Deadline;
import io.github.ratelimit.test.ManualClock;

/**
 * Hands the scripts a time that a test moves, in place of the server's.
 */
final class VirtualTime extends ForwardingRunner {

	static final String LUA = """
			--: now
			local now = tonumber(table.remove(ARGV))
			--: lifetime
			local milliseconds = 3600000
			""";

	private final ManualClock clock;

	VirtualTime(ScriptRunner runner, ManualClock clock) {
		super(runner);
		this.clock = clock;
	}

	@Override
	public byte[] run(ScriptCall call, Deadline deadline) {
		return this.runner.run(withTime(call), deadline);
	}

	@Override
	public List<ScriptAnswer> runAll(List<ScriptCall> calls, Deadline deadline) {
		return this.runner.runAll(calls.stream().map(this::withTime).toList(), deadline);
	}

	@Override
	public CompletionStage<byte[]> post(ScriptCall call) {
		return this.runner.post(withTime(call));
	}

	private ScriptCall withTime(ScriptCall call) {
		byte[][] arguments = Arrays.copyOf(call.arguments(), call.arguments().length + 1);
		arguments[call.arguments().length] = Long.toString(this.clock.nanos() / 1000)
			.getBytes(StandardCharsets.US_ASCII);
		return new ScriptCall(call.script(), call.keys(), arguments);
	}

	@Override
	public CompletionStage<byte[]> ask(ScriptCall call) {
		return this.runner.ask(withTime(call));
	}

}
