package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.remote.StoreCallException;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;

/**
 * Decides in Redis, and fails when Redis does.
 */
final class RedisRemoteStore implements RemoteStore {

	private static final String WRITE = "redis.call('SET', KEYS[1], '', 'PX', 1)\nreturn ''";

	private static final ScriptCall.Script PROBE = ScriptCall.Script.of(WRITE, WRITE);

	/* So many keys lie on every node that has more than a few slots. */
	private static final int PROBES_OF_CLUSTER = 256;

	private final ScriptRunner runner;

	private final ScriptCalls calls;

	private final String prefix;

	private final Duration timeout;

	private final List<ScriptCall<byte[]>> probes;

	/**
	 * Creates a store.
	 * @param runner the way to the servers
	 * @param prefix what all keys begin with
	 * @param timeout how long a call waits that is given no deadline
	 */
	RedisRemoteStore(ScriptRunner runner, String prefix, Duration timeout) {
		this.runner = runner;
		this.calls = new ScriptCalls(runner);
		this.prefix = prefix;
		this.timeout = timeout;
		this.probes = IntStream.range(0, runner.isCluster() ? PROBES_OF_CLUSTER : 1)
			.mapToObj((number) -> probe(prefix, number))
			.toList();
	}

	/*
	 * No policy has such a key: in between the braces, theirs have a colon.
	 */
	private static ScriptCall<byte[]> probe(String prefix, int number) {
		byte[] key = (prefix + ":{probe" + number + "}").getBytes(StandardCharsets.US_ASCII);
		return new ScriptCall<>(PROBE, new byte[][] { key }, new byte[0][], Function.identity());
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
	public PolicyDecider open(RateLimitPolicy policy) {
		return new RedisStates(policy, this.prefix, this.calls, this.timeout);
	}

	@Override
	public boolean hasSeveralServers() {
		return this.runner.isCluster();
	}

	@Override
	public String server(PolicyDecider states, String key) {
		return this.runner.node(((RedisStates) states).name(key));
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
	public Check check() {
		Map<String, ScriptCall<byte[]>> calls = new LinkedHashMap<>();
		this.probes.forEach((call) -> calls.putIfAbsent(this.runner.node(call.keys()[0]), call));
		return new RedisCheck(this.calls, calls);
	}

	/*
	 * A script can use the keys of one hash slot only.
	 */
	@Override
	public boolean decidesTogether(List<PolicyDecider> states) {
		return !this.runner.isCluster()
				&& RedisStates.decideTogether(states.stream().map(RedisStates.class::cast).toList());
	}

	@Override
	public List<RateLimitDecision> decideTogether(List<Question> questions, Deadline deadline) {
		return this.calls.run(RedisStates.deciding(questions), deadline);
	}

	@Override
	public List<Supplier<RateLimitDecision>> decideEach(List<Question> questions, Deadline deadline) {
		return this.calls.startAll(questions.stream().map(RedisStates::deciding).toList(), deadline);
	}

	@Override
	public List<Supplier<?>> refundEach(List<Given> given, Deadline deadline) {
		return List.copyOf(this.calls.startAll(given.stream().map(RedisRemoteStore::refunding).toList(), deadline));
	}

	private static ScriptCall<Void> refunding(Given given) {
		return ((RedisStates) given.states()).refunding(given.key(), given.permits(), given.decision());
	}

	@Override
	public void refundLater(Given given) {
		this.calls.post(refunding(given));
	}

	/**
	 * Asks each server whether it would decide, by a key of its own that it writes.
	 */
	private record RedisCheck(ScriptCalls calls, Map<String, ScriptCall<byte[]>> byServer) implements Check {

		@Override
		public Set<String> servers() {
			return this.byServer.keySet();
		}

		@Override
		public Map<String, StoreCallException> ask(Set<String> servers, Deadline deadline) {
			List<String> asked = List.copyOf(servers);
			List<Supplier<byte[]>> answers = this.calls.startAll(asked.stream().map(this.byServer::get).toList(),
					deadline);
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

}
