package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.store.RateLimitReceipt;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides in Redis, and fails when Redis does.
 */
final class RedisRemoteStore implements RemoteStore {

	private static final String WRITE = "redis.call('SET', KEYS[1], '', 'PX', 1)\nreturn ''";

	private static final ScriptCall.Script PROBE = ScriptCall.Script.of(WRITE, WRITE);

	private static final ScriptCall.Script DELETE = ScriptCall.Script.of("redis.call('DEL', unpack(KEYS))\nreturn ''",
			"");

	/* When a limit gave permits that was not there yet. */
	private static final long NEVER = -1;

	private static final Log logger = LogFactory.getLog(RedisRateLimitStore.class);

	/* So many keys lie on every node that has more than a few slots. */
	private static final int PROBES_OF_CLUSTER = 256;

	private final ScriptRunner runner;

	private final String prefix;

	/**
	 * Creates a store.
	 * @param runner the way to the servers
	 * @param prefix what all keys begin with
	 */
	RedisRemoteStore(ScriptRunner runner, String prefix) {
		this.runner = runner;
		this.prefix = prefix;
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
	public States open(RateLimitPolicy policy) {
		return new RedisDecider(policy);
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
			calls.putIfAbsent(this.runner.node(key), new ScriptCall<>(this.runner, PROBE, new byte[][] { key },
					() -> new byte[0][], Function.identity()));
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

		List<Decision> decisions = calls.stream().map(Decision.class::cast).toList();
		ScriptCall.Script script = RateLimitScripts
			.together(decisions.stream().map((each) -> each.states.script).toList());
		if (script == null) {
			return null;
		}
		return deciding(script, decisions, Function.identity());
	}

	private <T> ScriptCall<T> deciding(ScriptCall.Script script, List<Decision> decisions,
			Function<List<RateLimitDecision>, T> result) {
		byte[][] keys = decisions.stream()
			.flatMap((each) -> Stream.of(each.states.keysToDecide(each.key)))
			.toArray(byte[][]::new);
		return new ScriptCall<>(this.runner, script, keys,
				() -> decisions.stream().map(Decision::argument).toArray(byte[][]::new),
				(answer) -> result.apply(read(answer, decisions)),
				(now) -> decisions.forEach((each) -> each.states.goTo(now)));
	}

	private static List<RateLimitDecision> read(byte[] answer, List<Decision> asked) {
		ByteBuffer buffer = LimitScript.buffer(answer);
		long now = LimitScript.number(buffer);
		List<RateLimitDecision> decisions = new ArrayList<>(asked.size());
		for (Decision each : asked) {
			RedisDecider states = each.states;
			states.goTo(now);
			decisions.add(states.script.decision(buffer, now, each.permits, each.withoutDelay, states::warnOfState));
		}
		return decisions;
	}

	private static byte[] with(byte[] numbers, long... more) {
		byte[] bytes = Arrays.copyOf(numbers, numbers.length + Double.BYTES * more.length);
		ByteBuffer argument = LimitScript.buffer(bytes).position(numbers.length);
		for (long each : more) {
			argument.putDouble(each);
		}
		return bytes;
	}

	/*
	 * Of requests alike that follow one another, what each costs, and how many they are.
	 */
	private static long[] runs(long[] permits, boolean ofOne) {
		long[] runs = new long[2 * permits.length];
		int end = 0;
		for (long each : permits) {
			if (end == 0 || ofOne || runs[end - 2] != each) {
				runs[end] = each;
				end += 2;
			}
			runs[end - 1]++;
		}
		return Arrays.copyOf(runs, end);
	}

	private static @Nullable Void nothing(byte[] answer) {
		return null;
	}

	/**
	 * The states of one policy's keys in Redis.
	 */
	private final class RedisDecider implements States {

		private final AtomicBoolean warned = new AtomicBoolean();

		private final String policy;

		private final RateLimitScripts scripts;

		private final RedisKeys keys;

		private volatile PolicyScript script;

		private RedisDecider(RateLimitPolicy policy) {
			Algorithm.checkSize(policy);
			this.policy = policy.name();
			this.script = PolicyScript.of(policy);
			this.scripts = RateLimitScripts.of(this.script);
			this.keys = new RedisKeys(RedisRemoteStore.this.prefix, policy.name(), this.script.logs());
		}

		@Override
		public Decision decide(String key, long permits, boolean withoutDelay) {
			return new Decision(this, key, permits, withoutDelay);
		}

		@Override
		public boolean joins() {
			return true;
		}

		@Override
		public ScriptCall<List<RateLimitDecision>> decideAll(String key, long[] permits, boolean withoutDelay) {
			long[] runs = runs(permits, this.script.countsRejected());
			return new ScriptCall<>(RedisRemoteStore.this.runner, this.scripts.decideAll(), keysToDecide(key),
					() -> new byte[][] { with(this.script.numbers(withoutDelay), runs) },
					(answer) -> readAll(answer, runs, withoutDelay), this::goTo);
		}

		private List<RateLimitDecision> readAll(byte[] answer, long[] runs, boolean withoutDelay) {
			ByteBuffer buffer = LimitScript.buffer(answer);
			long now = LimitScript.number(buffer);
			goTo(now);
			PolicyScript present = this.script;
			List<RateLimitDecision> decisions = new ArrayList<>();
			for (int i = 0; i < runs.length; i += 2) {
				decisions.addAll(present.decisions(buffer, now, runs[i], runs[i + 1], withoutDelay, this::warnOfState));
			}
			return decisions;
		}

		private ScriptCall<RateLimitDecision> call(Decision decision) {
			return deciding(this.scripts.decide(), List.of(decision), (decisions) -> decisions.get(0));
		}

		private void goTo(long now) {
			PolicyScript then = this.script.at(now);
			if (then != this.script) {
				this.script = then;
			}
		}

		private byte[][] keysToDecide(String key) {
			return this.keys.of(key, this.script.bans());
		}

		@Override
		public String server(String key) {
			ScriptRunner runner = RedisRemoteStore.this.runner;
			if (!runner.isCluster()) {
				return "";
			}
			return runner.node(this.keys.of(key)[0]);
		}

		/*
		 * Which key it is would be a client's text in the log.
		 */
		private void warnOfState() {
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("A key of the rate limit policy '" + this.policy
						+ "' held something in Redis that is not its "
						+ "state: it begins anew. If it was another application's, set another ratelimit.redis.key-prefix");
			}
		}

		@Override
		public ScriptCall<Void> refund(String key, long permits, RateLimitDecision given) {
			RateLimitReceipt receipt = RateLimitReceipt.of(given);
			int gave = given.limits().size();
			return change(this.scripts.refund(), key, () -> refundArgument(permits, receipt, gave));
		}

		/* A limit that the policy did not have then has given nothing. */
		private byte[] refundArgument(long permits, RateLimitReceipt receipt, int gave) {
			long[] more = new long[1 + 2 * this.script.limits.size()];
			more[0] = permits;
			for (int i = 0; 2 * i + 1 < more.length; i++) {
				if (i < gave) {
					more[2 * i + 1] = LimitScript.micros(receipt.decidedAtNanos(i));
					more[2 * i + 2] = LimitScript.micros(receipt.resetAfterNanos(i));
				}
				else {
					more[2 * i + 1] = NEVER;
				}
			}
			return with(this.script.afterwards.numbers(false), more);
		}

		@Override
		public ScriptCall<Void> charge(String key, long permits) {
			return change(this.scripts.settle(), key, () -> with(this.script.afterwards.numbers(false), permits));
		}

		private ScriptCall<Void> change(ScriptCall.Script script, String key, Supplier<byte[]> argument) {
			return new ScriptCall<>(RedisRemoteStore.this.runner, script, this.keys.of(key),
					() -> new byte[][] { argument.get() }, RedisRemoteStore::nothing, this::goTo);
		}

		@Override
		public ScriptCall<Void> reset(String key) {
			return new ScriptCall<>(RedisRemoteStore.this.runner, DELETE, keysToDecide(key), () -> new byte[0][],
					RedisRemoteStore::nothing);
		}

	}

	/**
	 * A decision of one policy, which may become a part of one of several.
	 *
	 * @param states the policy's states
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param withoutDelay whether the request cannot wait
	 */
	private record Decision(RedisDecider states, String key, long permits,
			boolean withoutDelay) implements Call<RateLimitDecision> {

		private byte[] argument() {
			byte[] numbers = this.states.script.numbers(this.withoutDelay);
			if (this.permits == 1) {
				return numbers;
			}
			return with(numbers, this.permits);
		}

		@Override
		public Answer<RateLimitDecision> start(Deadline deadline) {
			return this.states.call(this).start(deadline);
		}

	}

}
