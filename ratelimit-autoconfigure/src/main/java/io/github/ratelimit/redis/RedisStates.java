package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.LogSize;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.store.RateLimitReceipt;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The states of one policy's keys in Redis.
 */
final class RedisStates implements RemoteStore.States {

	private static final ScriptCall.Script DELETE = ScriptCall.Script.of("redis.call('DEL', unpack(KEYS))\nreturn ''",
			"");

	/* When a limit gave permits that was not there yet. */
	private static final long NEVER = -1;

	private static final Log logger = LogFactory.getLog(RedisRateLimitStore.class);

	private final AtomicBoolean warned;

	private final String policy;

	private final String prefix;

	private final ScriptCalls decisions;

	private final ScriptCalls changes;

	private final RateLimitScripts scripts;

	private final RedisKeys keys;

	private volatile PolicyScript script;

	RedisStates(RateLimitPolicy policy, String prefix, ScriptCalls decisions, ScriptCalls changes) {
		this(policy, prefix, decisions, changes, new AtomicBoolean());
	}

	private RedisStates(RateLimitPolicy policy, String prefix, ScriptCalls decisions, ScriptCalls changes,
			AtomicBoolean warned) {
		LogSize.check(policy);
		this.warned = warned;
		this.policy = policy.name();
		this.prefix = prefix;
		this.decisions = decisions;
		this.changes = changes;
		this.script = PolicyScript.of(policy);
		this.scripts = RateLimitScripts.of(this.script);
		this.keys = new RedisKeys(prefix, policy.name(), this.script.logs());
	}

	/**
	 * The call for a decision of several policies, or {@code null} if they do not fit
	 * one. All keys must be on one server, and no policy may be asked twice for the same
	 * one. Scripts that were found once are kept, whatever the policies' numbers are.
	 */
	static @Nullable ScriptCall<List<RateLimitDecision>> together(List<Decision> decisions) {
		ScriptCall.Script script = RateLimitScripts
			.together(decisions.stream().map((each) -> each.states.script).toList());
		return (script != null) ? deciding(script, decisions, Function.identity()) : null;
	}

	private static <T> ScriptCall<T> deciding(ScriptCall.Script script, List<Decision> decisions,
			Function<List<RateLimitDecision>, T> result) {
		byte[][] keys = decisions.stream().flatMap((each) -> Stream.of(each.keys())).toArray(byte[][]::new);
		return new ScriptCall<>(decisions.get(0).states.decisions, script, keys,
				() -> decisions.stream().map(Decision::argument).toArray(byte[][]::new),
				(answer) -> result.apply(read(answer, decisions)),
				(now) -> decisions.forEach((each) -> each.states.goTo(now)));
	}

	/*
	 * When one policy rejects, those that agree answer as to a look.
	 */
	private static List<RateLimitDecision> read(byte[] answer, List<Decision> asked) {
		ByteBuffer buffer = LimitScript.buffer(answer);
		long moment = LimitScript.number(buffer);
		long now = Math.abs(moment);
		int count = asked.size();
		boolean[] unreadable = (count == 1) ? new boolean[] { moment < 0 } : PolicyScript.flags(buffer, count);
		boolean[][] agrees = new boolean[count][];
		boolean allowed = true;
		for (int i = 0; i < count; i++) {
			RedisStates each = asked.get(i).states;
			each.goTo(now);
			if (unreadable[i]) {
				each.warnOfState();
			}
			agrees[i] = each.script.agrees(buffer);
			allowed &= PolicyScript.agree(agrees[i]);
		}
		PolicyScript.BanAnswer[] bans = new PolicyScript.BanAnswer[count];
		for (int i = 0; i < count; i++) {
			Decision each = asked.get(i);
			bans[i] = each.states.script.ban(buffer, now);
			allowed &= !bans[i].rejects(each.permits);
		}
		RateLimitDecision[] decisions = new RateLimitDecision[count];
		for (int i = 0; i < count; i++) {
			Decision each = asked.get(i);
			RateLimitDecision decision = each.states.script.decision(buffer, now, allowed, agrees[i], each.permits,
					each.withoutDelay);
			decisions[i] = bans[i].of(decision, each.permits);
		}
		return List.of(decisions);
	}

	@Override
	public Decision decide(String key, long permits, boolean withoutDelay) {
		return new Decision(this, key, permits, withoutDelay);
	}

	private void goTo(long now) {
		PolicyScript current = this.script;
		PolicyScript then = current.at(now);
		if (then != current) {
			this.script = then;
		}
	}

	private byte[][] keysToDecide(String key) {
		return this.keys.of(key, this.script.bans());
	}

	private static ByteBuffer withPermits(byte[] numbers, long permits, int more) {
		byte[] bytes = Arrays.copyOf(numbers, numbers.length + Double.BYTES * (1 + more));
		return LimitScript.buffer(bytes).position(numbers.length).putDouble(permits);
	}

	@Override
	public String server(String key) {
		return this.decisions.server(this.keys.of(key)[0]);
	}

	/*
	 * Which key it is would be a client's text in the log.
	 */
	private void warnOfState() {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("A key of the rate limit policy '" + this.policy + "' held something in Redis that is not its "
					+ "state: it begins anew. If it was another application's, set another ratelimit.redis.key-prefix");
		}
	}

	@Override
	public ScriptCall<Void> refund(String key, long permits, RateLimitDecision given) {
		RateLimitReceipt receipt = RateLimitReceipt.of(given);
		int gave = given.limits().size();
		return change(this.scripts.refund(), key, () -> {
			int limits = this.script.limits().size();
			ByteBuffer argument = withPermits(this.script.numbersAfterwards(), permits, 2 * limits);
			for (int i = 0; i < limits; i++) {
				argument.putDouble((i < gave) ? LimitScript.micros(receipt.decidedAtNanos(i)) : NEVER);
				argument.putDouble((i < gave) ? LimitScript.micros(receipt.resetAfterNanos(i)) : 0);
			}
			return argument;
		});
	}

	@Override
	public ScriptCall<Void> charge(String key, long permits) {
		return change(this.scripts.settle(), key, () -> withPermits(this.script.numbersAfterwards(), permits, 0));
	}

	private ScriptCall<Void> change(ScriptCall.Script script, String key, Supplier<ByteBuffer> argument) {
		return new ScriptCall<>(this.changes, script, this.keys.of(key), () -> new byte[][] { argument.get().array() },
				RedisStates::nothing, this::goTo);
	}

	private static @Nullable Void nothing(byte[] answer) {
		return null;
	}

	@Override
	public ScriptCall<Void> reset(String key) {
		return new ScriptCall<>(this.changes, DELETE, keysToDecide(key), () -> new byte[0][], RedisStates::nothing);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The scripts are the same as well, unless the kinds of the limits differ: numbers
	 * are arguments.
	 */
	@Override
	public RedisStates under(RateLimitPolicy policy) {
		return new RedisStates(policy, this.prefix, this.decisions, this.changes, this.warned);
	}

	/**
	 * A decision of one policy, which may become a part of one of several.
	 *
	 * @param states the policy's states
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param withoutDelay whether the request cannot wait
	 */
	record Decision(RedisStates states, String key, long permits,
			boolean withoutDelay) implements RemoteStore.Call<RateLimitDecision> {

		private byte[][] keys() {
			return this.states.keysToDecide(this.key);
		}

		private byte[] argument() {
			byte[] numbers = this.states.script.numbers(this.withoutDelay);
			return (this.permits != 1) ? withPermits(numbers, this.permits, 0).array() : numbers;
		}

		ScriptCall<RateLimitDecision> call() {
			return deciding(this.states.scripts.decide(), List.of(this), (decisions) -> decisions.get(0));
		}

		@Override
		public Supplier<RateLimitDecision> start(Deadline deadline) {
			return call().start(deadline);
		}

		@Override
		public CompletionStage<RateLimitDecision> post() {
			return call().post();
		}

	}

}
