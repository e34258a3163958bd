package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.LogSize;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.store.RateLimitReceipt;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The states of one policy's keys in Redis.
 */
final class RedisStates implements PolicyDecider {

	private static final ScriptCall.Script DELETE = ScriptCall.Script.of("redis.call('DEL', unpack(KEYS))\nreturn ''",
			"");

	/* When a limit gave permits that was not there yet. */
	private static final long NEVER = -1;

	private static final Log logger = LogFactory.getLog(RedisRateLimitStore.class);

	private final AtomicBoolean warned;

	private final String policy;

	private final String prefix;

	private final ScriptCalls calls;

	private final PolicyScript script;

	private final RateLimitScripts scripts;

	private final RedisKeys keys;

	private final Duration timeout;

	private volatile PolicyNumbers numbers;

	RedisStates(RateLimitPolicy policy, String prefix, ScriptCalls calls, Duration timeout) {
		this(policy, prefix, calls, timeout, new AtomicBoolean());
	}

	private RedisStates(RateLimitPolicy policy, String prefix, ScriptCalls calls, Duration timeout,
			AtomicBoolean warned) {
		this.warned = warned;
		this.policy = policy.name();
		this.prefix = prefix;
		this.calls = calls;
		this.timeout = timeout;
		this.script = PolicyScript.of(policy);
		this.scripts = RateLimitScripts.of(this.script);
		this.numbers = new PolicyNumbers(policy, this.script.limits());
		this.keys = new RedisKeys(prefix, policy.name(), this.script.logs());
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decide(key, permits, false);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		return decide(key, permits, true);
	}

	private RateLimitDecision decide(String key, long permits, boolean withoutDelay) {
		return RedisFailures.translate(() -> read(run(deciding(key, permits, withoutDelay)), permits, withoutDelay));
	}

	private byte[] run(ScriptCall call) {
		Deadline deadline = Deadline.after(this.timeout);
		return RedisFailures.translate(() -> this.calls.run(call, deadline));
	}

	@Override
	public CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
		return this.calls.ask(deciding(key, permits, false)).handle((answer, failure) -> {
			if (failure != null) {
				throw RedisFailures.of(failure);
			}
			return RedisFailures.translate(() -> read(answer, permits, false));
		});
	}

	/**
	 * The call for a decision.
	 * @param key the key
	 * @param permits how many permits the request costs
	 * @param withoutDelay whether the request cannot wait
	 */
	ScriptCall deciding(String key, long permits, boolean withoutDelay) {
		return call(this.scripts.decide(), keysToDecide(key), () -> argument(permits, withoutDelay));
	}

	private ScriptCall call(ScriptCall.Script script, byte[][] keys, Supplier<byte[]> argument) {
		return new ScriptCall(script, keys, new byte[][] { argument.get() }, (now) -> {
			goTo(now);
			return call(script, keys, argument);
		});
	}

	/**
	 * Takes the numbers for a moment of the server.
	 */
	void goTo(long now) {
		PolicyNumbers current = this.numbers;
		PolicyNumbers then = current.at(now);
		if (then != current) {
			this.numbers = then;
		}
	}

	/**
	 * The names of all keys that a decision uses.
	 */
	byte[][] keysToDecide(String key) {
		return this.keys.of(key, this.script.bans());
	}

	/**
	 * The policy's argument of a decision.
	 */
	byte[] argument(long permits, boolean withoutDelay) {
		byte[] numbers = this.numbers.toDecide(withoutDelay);
		return (permits != 1) ? withPermits(numbers, permits, 0).array() : numbers;
	}

	private static ByteBuffer withPermits(byte[] numbers, long permits, int more) {
		byte[] bytes = Arrays.copyOf(numbers, numbers.length + Double.BYTES * (1 + more));
		return LimitScript.buffer(bytes).position(numbers.length).putDouble(permits);
	}

	/**
	 * The name of a key's state, which is on the same server as all that belongs to it.
	 */
	byte[] name(String key) {
		return this.keys.of(key)[0];
	}

	/**
	 * Reads the answer of a decision.
	 */
	RateLimitDecision read(byte[] answer, long permits, boolean withoutDelay) {
		return JointStates.read(List.of(this), answer, List.of(new Question(this, "", permits, withoutDelay))).get(0);
	}

	PolicyScript script() {
		return this.script;
	}

	/*
	 * Which key it is would be a client's text in the log.
	 */
	void warnOfState() {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("A key of the rate limit policy '" + this.policy + "' held something in Redis that is not its "
					+ "state: it begins anew. If it was another application's, set another ratelimit.redis.key-prefix");
		}
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		run(refunding(key, permits, given));
	}

	/**
	 * The call that refunds.
	 */
	ScriptCall refunding(String key, long permits, RateLimitDecision given) {
		return call(this.scripts.refund(), this.keys.of(key), () -> argumentToRefund(permits, given));
	}

	private byte[] argumentToRefund(long permits, RateLimitDecision given) {
		int limits = this.script.limits().size();
		ByteBuffer argument = withPermits(this.numbers.afterwards(), permits, 2 * limits);
		RateLimitReceipt receipt = RateLimitReceipt.of(given);
		int gave = given.limits().size();
		for (int i = 0; i < limits; i++) {
			argument.putDouble((i < gave) ? LimitScript.micros(receipt.decidedAtNanos(i)) : NEVER);
			argument.putDouble((i < gave) ? LimitScript.micros(receipt.resetAfterNanos(i)) : 0);
		}
		return argument.array();
	}

	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		ScriptCall call = settling(key, reserved, used, given);
		if (call != null) {
			run(call);
		}
	}

	@Override
	public CompletionStage<Void> settleAsync(String key, long reserved, long used, RateLimitDecision given) {
		ScriptCall call = settling(key, reserved, used, given);
		if (call == null) {
			return CompletableFuture.completedStage(null);
		}
		return this.calls.post(call).handle((answer, failure) -> {
			if (failure != null) {
				throw RedisFailures.of(failure);
			}
			return null;
		});
	}

	/**
	 * The call that settles, or {@code null} if there is nothing to do.
	 */
	@Nullable ScriptCall settling(String key, long reserved, long used, RateLimitDecision given) {
		if (used < reserved) {
			return refunding(key, reserved - used, given);
		}
		if (used == reserved) {
			return null;
		}
		return call(this.scripts.settle(), this.keys.of(key),
				() -> withPermits(this.numbers.afterwards(), used - reserved, 0).array());
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The keys are the same, and the scripts as well unless the kinds of the limits
	 * differ: numbers are arguments.
	 */
	@Override
	public RedisStates under(RateLimitPolicy policy) {
		LogSize.check(policy);
		return new RedisStates(policy, this.prefix, this.calls, this.timeout, this.warned);
	}

	@Override
	public boolean bans() {
		return true;
	}

	@Override
	public void reset(String key) {
		run(new ScriptCall(DELETE, keysToDecide(key), new byte[0][]));
	}

}
