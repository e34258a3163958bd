package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.RemoteStore;
import org.jspecify.annotations.Nullable;

/**
 * Decides in Redis, and fails when Redis does.
 */
final class RedisRemoteStore implements RemoteStore {

	private static final String WRITE = "redis.call('SET', KEYS[1], '', 'PX', 1)\nreturn ''";

	private static final ScriptCall.Script PROBE = ScriptCall.Script.of(WRITE, WRITE);

	/* So many keys lie on every node that has more than a few slots. */
	private static final int PROBES_OF_CLUSTER = 256;

	private final ScriptRunner runner;

	private final ScriptCalls decisions;

	private final ScriptCalls changes;

	private final String prefix;

	private final List<ScriptCall<byte[]>> probes;

	/**
	 * Creates a store.
	 * @param runner the way to the servers
	 * @param prefix what all keys begin with
	 */
	RedisRemoteStore(ScriptRunner runner, String prefix) {
		this.runner = runner;
		this.decisions = new ScriptCalls(runner);
		this.changes = new ScriptCalls(runner);
		this.prefix = prefix;
		this.probes = IntStream.range(0, runner.isCluster() ? PROBES_OF_CLUSTER : 1).mapToObj(this::probe).toList();
	}

	/*
	 * No policy has such a key: in between the braces, theirs have a colon.
	 */
	private ScriptCall<byte[]> probe(int number) {
		byte[] key = (this.prefix + ":{probe" + number + "}").getBytes(StandardCharsets.US_ASCII);
		return new ScriptCall<>(this.changes, PROBE, new byte[][] { key }, () -> new byte[0][], Function.identity());
	}

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public String displayName() {
		return "Redis";
	}

	@Override
	public RedisStates open(RateLimitPolicy policy) {
		return new RedisStates(policy, this.prefix, this.decisions, this.changes);
	}

	@Override
	public boolean hasSeveralServers() {
		return this.runner.isCluster();
	}

	@Override
	public Set<String> servers() {
		return this.runner.nodes();
	}

	@Override
	public String address() {
		return this.runner.server();
	}

	@Override
	public Map<String, Call<?>> checks() {
		Map<String, Call<?>> calls = new LinkedHashMap<>();
		this.probes.forEach((call) -> calls.putIfAbsent(this.runner.node(call.keys()[0]), call));
		return calls;
	}

	/*
	 * A script can use the keys of one hash slot only.
	 */
	@Override
	public @Nullable Call<List<RateLimitDecision>> together(List<Call<RateLimitDecision>> decisions) {
		return this.runner.isCluster() ? null
				: RedisStates.together(decisions.stream().map(RedisStates.Decision.class::cast).toList());
	}

}
