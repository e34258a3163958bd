package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.RemoteDecider;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Decides in Redis, and fails when Redis does.
 */
final class RedisRemoteStore implements RemoteStore {

	private static final String WRITE = "redis.call('SET', KEYS[1], '', 'PX', 1)\nreturn ''";

	private static final ScriptCall.Script PROBE = ScriptCall.Script.of(WRITE, WRITE);

	private static final byte[][] NO_ARGUMENTS = {};

	/* So many keys lie on every node that has more than a few slots. */
	private static final int PROBES_OF_CLUSTER = 256;

	private final ScriptRunner runner;

	private final String prefix;

	private final RedisOverrides overrides;

	/**
	 * Creates a store.
	 * @param runner the way to the servers
	 * @param prefix what all keys begin with
	 * @param timeout how long a change to the overrides waits
	 */
	RedisRemoteStore(ScriptRunner runner, String prefix, Duration timeout) {
		this.runner = runner;
		this.prefix = prefix;
		this.overrides = new RedisOverrides(runner, prefix, timeout);
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
	public RemoteDecider open(RateLimitPolicy policy) {
		return new RedisDecider(this.runner, this.prefix, policy);
	}

	@Override
	public Set<String> servers() {
		return this.runner.nodes();
	}

	@Override
	public String address() {
		return this.runner.server();
	}

	/*
	 * No policy has such keys: in between the braces, theirs have a colon.
	 */
	@Override
	public Map<String, Call<?>> checks() {
		Map<String, Call<?>> calls = new LinkedHashMap<>();
		int probes = this.runner.isCluster() ? PROBES_OF_CLUSTER : 1;
		for (int i = 0; i < probes; i++) {
			byte[] key = (this.prefix + ":{probe" + i + "}").getBytes(StandardCharsets.US_ASCII);
			calls.putIfAbsent(this.runner.node(key),
					ScriptCall.of(this.runner, PROBE, new byte[][] { key }, NO_ARGUMENTS, Function.identity()));
		}
		return calls;
	}

	/*
	 * A script can use the keys of one hash slot only. Scripts that were found once are
	 * kept, whatever the policies' numbers are.
	 */
	@Override
	public @Nullable Call<List<RateLimitDecision>> together(List<Call<RateLimitDecision>> calls) {
		if (this.runner.isCluster()) {
			return null;
		}

		List<RedisDecision> decisions = calls.stream().map(RedisDecision.class::cast).toList();
		ScriptCall.Script script = RateLimitScripts.together(decisions.stream().map(RedisDecision::policy).toList());
		if (script == null) {
			return null;
		}
		return new CallTogether(this.runner, script, decisions);
	}

	@Override
	public SharedOverrides sharedOverrides() {
		return this.overrides;
	}

	@Override
	public void close() {
		this.runner.close();
	}

	/**
	 * The call that decides on a request for several policies.
	 */
	private static final class CallTogether extends ScriptCall<List<RateLimitDecision>> {

		private final List<RedisDecision> decisions;

		CallTogether(ScriptRunner runner, Script script, List<RedisDecision> decisions) {
			super(runner, script, decisions.stream().flatMap((each) -> Stream.of(each.keys)).toArray(byte[][]::new));
			this.decisions = decisions;
		}

		@Override
		byte[][] arguments() {
			return this.decisions.stream().map(RedisDecision::argument).toArray(byte[][]::new);
		}

		@Override
		boolean takeMoment(long now) {
			this.decisions.forEach((each) -> each.takeMoment(now));
			return true;
		}

		@Override
		List<RateLimitDecision> read(byte[] answer) {
			ByteBuffer buffer = LimitScript.buffer(answer);
			long now = LimitScript.readNumber(buffer);
			List<RateLimitDecision> read = new ArrayList<>(this.decisions.size());
			for (RedisDecision each : this.decisions) {
				read.add(each.read(buffer, now));
			}
			return read;
		}

	}

}
