package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.github.ratelimit.ManualClock;

/**
 * Hands the scripts a time that a test moves, in place of the server's.
 */
final class VirtualTime implements ScriptRunner {

	static final String LUA = """
			--: now
			local now = tonumber(table.remove(ARGV))
			--: lifetime
			local milliseconds = 3600000
			""";

	private final ScriptRunner runner;

	private final ManualClock clock;

	VirtualTime(ScriptRunner runner, ManualClock clock) {
		this.runner = runner;
		this.clock = clock;
	}

	@Override
	public void connect() {
		this.runner.connect();
	}

	@Override
	public byte[] run(Script script, byte[][] keys, byte[][] arguments) {
		byte[][] withTime = Arrays.copyOf(arguments, arguments.length + 1);
		withTime[arguments.length] = Long.toString(this.clock.nanos() / 1000).getBytes(StandardCharsets.US_ASCII);
		return this.runner.run(script, keys, withTime);
	}

	@Override
	public void delete(byte[][] keys) {
		this.runner.delete(keys);
	}

	@Override
	public void close() {
		this.runner.close();
	}

}
