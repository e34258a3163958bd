package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.resilience.Deadline;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.store.RateLimitStates;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The states of one policy's keys in Redis.
 */
final class RedisStates implements RateLimitStates {

	/* More combinations than an application configures are not worth a script each. */
	private static final int MOST_COMBINATIONS = 256;

	private static final Log logger = LogFactory.getLog(RedisRateLimitStore.class);

	private final Map<List<RedisStates>, Script> combinations = new ConcurrentHashMap<>();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final String policy;

	private final String time;

	private final ScriptRunner runner;

	private final List<LimitScript> limits;

	private final AnswerReader answers;

	private final byte[] numbers;

	private final byte[] numbersAtOnce;

	private final RateLimitScripts scripts;

	private final RedisKeys keys;

	private final Duration timeout;

	RedisStates(RateLimitPolicy policy, String prefix, String time, ScriptRunner runner, Duration timeout) {
		this.policy = policy.name();
		this.time = time;
		this.runner = runner;
		this.timeout = timeout;
		this.limits = LimitScript.of(policy.limits());
		this.scripts = RateLimitScripts.of(time, this.limits);
		this.answers = new AnswerReader(this.limits);
		this.numbers = numbers(policy.capacity(), false);
		this.numbersAtOnce = policy.delays() ? numbers(policy.capacity(), true) : this.numbers;
		this.keys = new RedisKeys(prefix, policy.name(),
				(int) this.limits.stream().filter(LimitScript::keepsLog).count());
	}

	private byte[] numbers(long capacity, boolean atOnce) {
		return doubles(this.limits.stream().flatMap((limit) -> limit.packed(capacity, atOnce)).toList());
	}

	private static byte[] doubles(List<Long> numbers) {
		ByteBuffer bytes = buffer(new byte[Double.BYTES * numbers.size()]);
		numbers.forEach(bytes::putDouble);
		return bytes.array();
	}

	private static ByteBuffer buffer(byte[] bytes) {
		return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decide(key, permits, false);
	}

	@Override
	public RateLimitDecision decideAtOnce(String key, long permits) {
		return decide(key, permits, true);
	}

	private RateLimitDecision decide(String key, long permits, boolean atOnce) {
		Deadline deadline = Deadline.after(this.timeout);
		return RedisFailures
			.translate(() -> read(this.runner.run(deciding(key, permits, atOnce), deadline), permits, atOnce));
	}

	/**
	 * The call for a decision.
	 * @param key the key
	 * @param permits how many permits the request costs
	 * @param atOnce whether the request cannot wait
	 */
	ScriptCall deciding(String key, long permits, boolean atOnce) {
		return new ScriptCall(this.scripts.decide(), this.keys.of(key), new byte[][] { argument(permits, atOnce) });
	}

	private byte[] argument(long permits, boolean atOnce) {
		byte[] numbers = atOnce ? this.numbersAtOnce : this.numbers;
		return (permits != 1) ? withPermits(numbers, permits, 0).array() : numbers;
	}

	private static ByteBuffer withPermits(byte[] numbers, long permits, int more) {
		byte[] bytes = Arrays.copyOf(numbers, numbers.length + Double.BYTES * (1 + more));
		return buffer(bytes).position(numbers.length).putDouble(permits);
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
	RateLimitDecision read(byte[] answer, long permits, boolean atOnce) {
		ByteBuffer buffer = buffer(answer);
		long now = LimitScript.number(buffer);
		if (now < 0) {
			warnOfState();
		}
		boolean[] agrees = flags(buffer, this.answers.limits());
		return this.answers.decision(buffer, Math.abs(now), agrees, 0, permits, atOnce);
	}

	private static boolean[] flags(ByteBuffer answer, int count) {
		boolean[] flags = new boolean[count];
		for (int i = 0; i < count; i++) {
			flags[i] = answer.get() == 1;
		}
		return flags;
	}

	/**
	 * Whether one call can decide on several policies: they are not too many.
	 * @param states the policies, the same list each time
	 */
	static boolean fitTogether(List<RedisStates> states) {
		return script(states) != null;
	}

	/**
	 * The call for a decision on several policies, which takes from all of them or from
	 * none. All keys must be on one server, and no policy may be asked twice for the same
	 * one.
	 * @param states the policies, which {@link #fitTogether fit}
	 * @param keys the key of each policy
	 * @param permits how many permits the request costs of each; 0 looks
	 * @param atOnce which of them the request cannot wait for
	 */
	static ScriptCall decidingTogether(List<RedisStates> states, List<String> keys, long[] permits, boolean[] atOnce) {
		Script script = script(states);
		Assert.state(script != null, "The policies do not fit one call");
		List<byte[]> names = new ArrayList<>();
		byte[][] arguments = new byte[permits.length][];
		for (int i = 0; i < permits.length; i++) {
			RedisStates each = states.get(i);
			names.addAll(Arrays.asList(each.keys.of(keys.get(i))));
			arguments[i] = each.argument(permits[i], atOnce[i]);
		}
		return new ScriptCall(script, names.toArray(byte[][]::new), arguments);
	}

	private static @Nullable Script script(List<RedisStates> states) {
		RedisStates first = states.get(0);
		if (states.size() == 1) {
			return first.scripts.decide();
		}
		Script known = first.combinations.get(states);
		if (known == null && first.combinations.size() < MOST_COMBINATIONS) {
			known = RateLimitScripts.together(first.time, states.stream().map((each) -> each.limits).toList());
			if (known != null) {
				first.combinations.put(List.copyOf(states), known);
			}
		}
		return known;
	}

	/**
	 * Reads the answer of a decision on several policies. When one rejects, those that
	 * agree answer as to a look.
	 * @param states the policies
	 * @param answer what the script answered
	 * @param permits how many permits the request cost of each
	 * @param atOnce which of them the request could not wait for
	 * @return each policy's decision
	 */
	static List<RateLimitDecision> readTogether(List<RedisStates> states, byte[] answer, long[] permits,
			boolean[] atOnce) {
		if (states.size() == 1) {
			return List.of(states.get(0).read(answer, permits[0], atOnce[0]));
		}
		ByteBuffer buffer = buffer(answer);
		long now = Math.abs(LimitScript.number(buffer));
		boolean[] strange = flags(buffer, states.size());
		int limits = 0;
		for (int i = 0; i < strange.length; i++) {
			RedisStates each = states.get(i);
			limits += each.answers.limits();
			if (strange[i]) {
				each.warnOfState();
			}
		}
		boolean[] agrees = flags(buffer, limits);
		RateLimitDecision[] decisions = new RateLimitDecision[permits.length];
		int first = 0;
		for (int i = 0; i < decisions.length; i++) {
			AnswerReader answers = states.get(i).answers;
			decisions[i] = answers.decision(buffer, now, agrees, first, permits[i], atOnce[i]);
			first += answers.limits();
		}
		return List.of(decisions);
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
	public void giveBack(String key, long permits, RateLimitDecision given) {
		Deadline deadline = Deadline.after(this.timeout);
		ScriptCall call = givingBack(key, permits, given);
		RedisFailures.translate(() -> this.runner.run(call, deadline));
	}

	/**
	 * The call that gives back.
	 */
	ScriptCall givingBack(String key, long permits, RateLimitDecision given) {
		ByteBuffer argument = withPermits(this.numbers, permits, 2 * this.limits.size());
		RateLimitReceipt receipt = RateLimitReceipt.of(given);
		for (int i = 0; i < this.limits.size(); i++) {
			argument.putDouble(LimitScript.micros(receipt.decidedAtNanos(i)));
			argument.putDouble(LimitScript.micros(receipt.resetAfterNanos(i)));
		}
		return new ScriptCall(this.scripts.giveBack(), this.keys.of(key), new byte[][] { argument.array() });
	}

	@Override
	public void reset(String key) {
		Deadline deadline = Deadline.after(this.timeout);
		RedisFailures.translate(() -> {
			this.runner.delete(this.keys.of(key), deadline);
			return null;
		});
	}

}
