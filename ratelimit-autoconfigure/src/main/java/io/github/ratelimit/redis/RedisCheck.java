package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.remote.StoreCallException;

/**
 * Asks each server whether it would decide, by a key of its own that it writes.
 */
final class RedisCheck implements RemoteStore.Check {

	private static final String WRITE = "redis.call('SET', KEYS[1], '', 'PX', 1)\nreturn ''";

	private static final ScriptCall.Script SCRIPT = ScriptCall.Script.of(WRITE, WRITE);

	/* So many keys lie on every node that has more than a few slots. */
	private static final int KEYS_OF_CLUSTER = 256;

	private static final byte[][] NO_ARGUMENTS = {};

	private final ScriptRunner runner;

	private final Map<String, ScriptCall> calls = new LinkedHashMap<>();

	/**
	 * Begins a check.
	 * @param runner the way to the servers
	 * @param calls one call for each of several keys, which {@link #calls} has made
	 */
	RedisCheck(ScriptRunner runner, List<ScriptCall> calls) {
		this.runner = runner;
		List<ScriptCall> spread = runner.isCluster() ? calls : calls.subList(0, 1);
		spread.forEach((call) -> this.calls.putIfAbsent(runner.node(call.keys()[0]), call));
	}

	/**
	 * Makes calls whose keys are spread over all servers.
	 * @param prefix what all keys begin with
	 */
	static List<ScriptCall> calls(String prefix) {
		return IntStream.range(0, KEYS_OF_CLUSTER).mapToObj((number) -> call(prefix, number)).toList();
	}

	/*
	 * No policy has such a key: in between the braces, theirs have a colon.
	 */
	private static ScriptCall call(String prefix, int number) {
		byte[] key = (prefix + ":{probe" + number + "}").getBytes(StandardCharsets.US_ASCII);
		return new ScriptCall(SCRIPT, new byte[][] { key }, NO_ARGUMENTS);
	}

	@Override
	public Set<String> servers() {
		return this.calls.keySet();
	}

	@Override
	public Map<String, StoreCallException> ask(Set<String> servers, Deadline deadline) {
		Map<String, PendingCall> started = new LinkedHashMap<>();
		this.calls.forEach((server, call) -> {
			if (servers.contains(server)) {
				started.put(server, this.runner.start(call, deadline));
			}
		});
		Map<String, StoreCallException> failures = new LinkedHashMap<>();
		started.forEach((server, call) -> {
			try {
				call.await();
			}
			catch (RuntimeException ex) {
				failures.put(server, RedisFailures.of(ex));
			}
		});
		return failures;
	}

}
