package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.test.ManualClock;

/**
 * Hands the scripts a time that a test moves, in place of the server's.
 */
final class VirtualTime extends ForwardingRunner {

	private static final Map<ScriptCall.Script, ScriptCall.Script> SCRIPTS = new ConcurrentHashMap<>();

	private final ManualClock clock;

	VirtualTime(ScriptRunner runner, ManualClock clock) {
		super(runner);
		this.clock = clock;
	}

	@Override
	public <T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline) {
		return this.runner.start(withTime(call), deadline);
	}

	private <T> ScriptCall<T> withTime(ScriptCall<T> call) {
		return new ForwardingCall<>(call, SCRIPTS.computeIfAbsent(call.script, VirtualTime::withTime)) {

			@Override
			byte[][] arguments() {
				return withTime(super.arguments());
			}

		};
	}

	private byte[][] withTime(byte[][] arguments) {
		byte[][] all = Arrays.copyOf(arguments, arguments.length + 1);
		all[arguments.length] = Long.toString(this.clock.nanos() / 1000).getBytes(StandardCharsets.US_ASCII);
		return all;
	}

	private static ScriptCall.Script withTime(ScriptCall.Script script) {
		return ScriptCall.Script.of(withTime(script.text()), withTime(script.repairing()));
	}

	private static String withTime(String script) {
		return script.replace(section("now"), "local now = tonumber(table.remove(ARGV))")
			.replace(section("lifetime"), "local milliseconds = 3600000");
	}

	private static String section(String name) {
		return String.join("\n", ScriptScope.sections("server-time.lua").get(name));
	}

}
