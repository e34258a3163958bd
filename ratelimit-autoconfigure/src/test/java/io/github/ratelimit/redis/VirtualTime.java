package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.github.ratelimit.remote.Deadline;
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
	public PendingCall start(ScriptCall call, Deadline deadline) {
		return this.runner.start(withTime(call), deadline);
	}

	private ScriptCall withTime(ScriptCall call) {
		byte[][] arguments = Arrays.copyOf(call.arguments(), call.arguments().length + 1);
		arguments[call.arguments().length] = Long.toString(this.clock.nanos() / 1000)
			.getBytes(StandardCharsets.US_ASCII);
		return new ScriptCall(call.script(), call.keys(), arguments);
	}

}
