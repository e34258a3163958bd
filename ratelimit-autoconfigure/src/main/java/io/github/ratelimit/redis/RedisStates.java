package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.LogSize;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.store.RateLimitSession.Question;
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

	private final RateLimitScripts scripts;

	private final RedisKeys keys;

	private final Duration timeout;

	private volatile PolicyScript script;

	RedisStates(RateLimitPolicy policy, String prefix, ScriptCalls calls, Duration timeout) {
		this(policy, prefix, calls, timeout, new AtomicBoolean());
	}

	private RedisStates(RateLimitPolicy policy, String prefix, ScriptCalls calls, Duration timeout,
			AtomicBoolean warned) {
		LogSize.check(policy);
		this.warned = warned;
		this.policy = policy.name();
		this.prefix = prefix;
		this.calls = calls;
		this.timeout = timeout;
		this.script = PolicyScript.of(policy);
		this.scripts = RateLimitScripts.of(this.script);
		this.keys = new RedisKeys(prefix, policy.name(), this.script.logs());
	}

	/**
	 * Whether one call can decide on several policies.
	 */
	static boolean decideTogether(List<RedisStates> policies) {
		return together(policies) != null;
	}

	/*
	 * Scripts that were found once are kept, whatever the policies' numbers are.
	 */
	private static ScriptCall.@Nullable Script together(List<RedisStates> policies) {
		return RateLimitScripts.together(policies.stream().map((each) -> each.script).toList());
	}

	/**
	 * The call for a decision of several policies. All keys must be on one server, and no
	 * policy may be asked twice for the same one.
	 * @param questions what to ask of each policy, which {@link #decideTogether can
	 * decide together}
	 */
	static ScriptCall<List<RateLimitDecision>> deciding(List<Question> questions) {
		ScriptCall.Script script = together(questions.stream().map(RedisStates::of).toList());
		return deciding(Objects.requireNonNull(script, "The policies do not fit one call"), questions,
				Function.identity());
	}

	/**
	 * The call for a decision of one policy.
	 */
	static ScriptCall<RateLimitDecision> deciding(Question question) {
		return deciding(of(question).scripts.decide(), List.of(question), (decisions) -> decisions.get(0));
	}

	private static <T> ScriptCall<T> deciding(ScriptCall.Script script, List<Question> questions,
			Function<List<RateLimitDecision>, T> result) {
		List<byte[]> names = new ArrayList<>();
		List<byte[]> arguments = new ArrayList<>();
		for (Question question : questions) {
			names.addAll(Arrays.asList(of(question).keysToDecide(question.key())));
			arguments.add(of(question).argument(question));
		}
		return new ScriptCall<>(script, names.toArray(byte[][]::new), arguments.toArray(byte[][]::new),
				(answer) -> result.apply(read(answer, questions)), (now) -> {
					questions.forEach((each) -> of(each).goTo(now));
					return deciding(script, questions, result);
				});
	}

	private static RedisStates of(Question question) {
		return (RedisStates) question.states();
	}

	/*
	 * When one policy rejects, those that agree answer as to a look.
	 */
	private static List<RateLimitDecision> read(byte[] answer, List<Question> questions) {
		ByteBuffer buffer = LimitScript.buffer(answer);
		long moment = LimitScript.number(buffer);
		long now = Math.abs(moment);
		int count = questions.size();
		boolean[] unreadable = (count == 1) ? new boolean[] { moment < 0 } : PolicyScript.flags(buffer, count);
		boolean[][] agrees = new boolean[count][];
		boolean allowed = true;
		for (int i = 0; i < count; i++) {
			RedisStates each = of(questions.get(i));
			each.goTo(now);
			if (unreadable[i]) {
				each.warnOfState();
			}
			agrees[i] = each.script.agrees(buffer);
			allowed &= PolicyScript.agree(agrees[i]);
		}
		PolicyScript.BanAnswer[] bans = new PolicyScript.BanAnswer[count];
		for (int i = 0; i < count; i++) {
			Question question = questions.get(i);
			bans[i] = of(question).script.ban(buffer, now);
			allowed &= !bans[i].rejects(question.permits());
		}
		RateLimitDecision[] decisions = new RateLimitDecision[count];
		for (int i = 0; i < count; i++) {
			Question question = questions.get(i);
			RateLimitDecision decision = of(question).script.decision(buffer, now, allowed, agrees[i],
					question.permits(), question.withoutDelay());
			decisions[i] = bans[i].of(decision, question.permits());
		}
		return List.of(decisions);
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return run(deciding(new Question(this, key, permits, false)));
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		return run(deciding(new Question(this, key, permits, true)));
	}

	private <T> T run(ScriptCall<T> call) {
		return this.calls.run(call, Deadline.after(this.timeout));
	}

	@Override
	public CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
		return this.calls.ask(deciding(new Question(this, key, permits, false)));
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

	private byte[] argument(Question question) {
		byte[] numbers = this.script.numbers(question.withoutDelay());
		return (question.permits() != 1) ? withPermits(numbers, question.permits(), 0).array() : numbers;
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
	public void refund(String key, long permits, RateLimitDecision given) {
		run(refunding(key, permits, given));
	}

	/**
	 * The call that refunds.
	 */
	ScriptCall<Void> refunding(String key, long permits, RateLimitDecision given) {
		return afterwards(this.scripts.refund(), key, () -> argumentToRefund(permits, given));
	}

	private ScriptCall<Void> afterwards(ScriptCall.Script script, String key, Supplier<byte[]> argument) {
		return new ScriptCall<>(script, this.keys.of(key), new byte[][] { argument.get() }, RedisStates::nothing,
				(now) -> {
					goTo(now);
					return afterwards(script, key, argument);
				});
	}

	private static @Nullable Void nothing(byte[] answer) {
		return null;
	}

	private byte[] argumentToRefund(long permits, RateLimitDecision given) {
		int limits = this.script.limits().size();
		ByteBuffer argument = withPermits(this.script.numbersAfterwards(), permits, 2 * limits);
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
		ScriptCall<Void> call = settling(key, reserved, used, given);
		if (call != null) {
			run(call);
		}
	}

	@Override
	public CompletionStage<Void> settleAsync(String key, long reserved, long used, RateLimitDecision given) {
		ScriptCall<Void> call = settling(key, reserved, used, given);
		return (call != null) ? this.calls.post(call) : CompletableFuture.completedStage(null);
	}

	private @Nullable ScriptCall<Void> settling(String key, long reserved, long used, RateLimitDecision given) {
		if (used == reserved) {
			return null;
		}
		return (used < reserved) ? refunding(key, reserved - used, given) : afterwards(this.scripts.settle(), key,
				() -> withPermits(this.script.numbersAfterwards(), used - reserved, 0).array());
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The keys are the same, and the scripts as well unless the kinds of the limits
	 * differ: numbers are arguments.
	 */
	@Override
	public RedisStates under(RateLimitPolicy policy) {
		return new RedisStates(policy, this.prefix, this.calls, this.timeout, this.warned);
	}

	@Override
	public boolean bans() {
		return true;
	}

	@Override
	public void reset(String key) {
		run(new ScriptCall<>(DELETE, keysToDecide(key), new byte[0][], RedisStates::nothing));
	}

}
