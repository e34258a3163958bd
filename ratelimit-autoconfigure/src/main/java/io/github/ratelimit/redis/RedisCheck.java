package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
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

	private final ScriptCalls calls;

	private final Map<String, ScriptCall<byte[]>> byServer = new LinkedHashMap<>();

	/**
	 * Begins a check.
	 * @param runner the way to the servers
	 * @param calls sends the calls
	 * @param questions one call for each of several keys, which {@link #calls} has made
	 */
	RedisCheck(ScriptRunner runner, ScriptCalls calls, List<ScriptCall<byte[]>> questions) {
		this.calls = calls;
		List<ScriptCall<byte[]>> spread = runner.isCluster() ? questions : questions.subList(0, 1);
		spread.forEach((call) -> this.byServer.putIfAbsent(runner.node(call.keys()[0]), call));
	}

	/**
	 * Makes calls whose keys are spread over all servers.
	 * @param prefix what all keys begin with
	 */
	static List<ScriptCall<byte[]>> calls(String prefix) {
		return IntStream.range(0, KEYS_OF_CLUSTER).mapToObj((number) -> call(prefix, number)).toList();
	}

	/*
	 * No policy has such a key: in between the braces, theirs have a colon.
	 */
	private static ScriptCall<byte[]> call(String prefix, int number) {
		byte[] key = (prefix + ":{probe" + number + "}").getBytes(StandardCharsets.US_ASCII);
		return new ScriptCall<>(SCRIPT, new byte[][] { key }, NO_ARGUMENTS, Function.identity());
	}

	@Override
	public Set<String> servers() {
		return this.byServer.keySet();
	}

	@Override
	public Map<String, StoreCallException> ask(Set<String> servers, Deadline deadline) {
		List<String> asked = List.copyOf(servers);
		List<Supplier<byte[]>> answers = this.calls.startAll(asked.stream().map(this.byServer::get).toList(), deadline);
		Map<String, StoreCallException> failures = new LinkedHashMap<>();
		for (int i = 0; i < answers.size(); i++) {
			try {
				answers.get(i).get();
			}
			catch (StoreCallException ex) {
				failures.put(asked.get(i), ex);
			}
		}
		return failures;
	}

}
