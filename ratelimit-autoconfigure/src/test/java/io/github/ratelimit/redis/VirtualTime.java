package io.github.ratelimit.redis;

import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.ManualClock;

/**
 * Hands the scripts a time that a test moves, in place of the server's.
 */
final class VirtualTime implements ScriptRunner {

	static final String LUA = """
			local function clock() return tonumber(ARGV[#ARGV]) end
			local function lifetime(micros) return 3600000 end
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
	public List<?> run(Script script, byte[][] keys, byte[][] arguments) {
		byte[][] withTime = Arrays.copyOf(arguments, arguments.length + 1);
		withTime[arguments.length] = LimitArguments.number(this.clock.nanos() / 1000);
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
