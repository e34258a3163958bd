package io.github.ratelimit.redis;

import java.util.List;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStates;

/**
 * The states of one policy's keys in Redis.
 */
final class RedisStates implements RateLimitStates {

	private static final long NANOS_PER_MICRO = 1000;

	private final RateLimitScripts scripts;

	private final ScriptRunner runner;

	private final RedisKeys keys;

	private final byte[][] arguments;

	private final byte[][] argumentsOfOne;

	private final int limits;

	RedisStates(RateLimitPolicy policy, String prefix, String time, ScriptRunner runner) {
		this.scripts = RateLimitScripts.of(time, policy.limits());
		this.runner = runner;
		this.limits = policy.limits().size();
		this.keys = new RedisKeys(prefix, policy.name(),
				(int) policy.limits()
					.stream()
					.filter((limit) -> limit.algorithm() == RateLimitAlgorithm.SLIDING_WINDOW_LOG)
					.count());
		this.arguments = LimitArguments.of(policy.limits());
		this.argumentsOfOne = arguments(1);
	}

	private byte[][] arguments(long permits) {
		byte[][] arguments = this.arguments.clone();
		arguments[0] = LimitArguments.number(permits);
		return arguments;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		byte[][] arguments = (permits == 1) ? this.argumentsOfOne : arguments(permits);
		return decision(this.runner.run(this.scripts.decide(), this.keys.of(key), arguments));
	}

	/*
	 * See decide.lua.
	 */
	private RateLimitDecision decision(List<?> answer) {
		RateLimitDecision[] decisions = new RateLimitDecision[this.limits];
		long now = nanos(answer, 0);
		int at = 2;
		for (int i = 0; i < decisions.length; i++) {
			boolean agrees = number(answer, at) == 1;
			long remaining = number(answer, at + 1);
			long wait = number(answer, at + 2);
			decisions[i] = agrees
					? RateLimitDecision.allowed(now, remaining, wait * NANOS_PER_MICRO, nanos(answer, at + 3),
							nanos(answer, at + 4))
					: RateLimitDecision.rejected(now, remaining,
							(wait != RateLimitDecision.NEVER) ? wait * NANOS_PER_MICRO : RateLimitDecision.NEVER,
							nanos(answer, at + 3), nanos(answer, at + 4));
			at += 5;
		}
		return RateLimitDecision.combined(decisions);
	}

	private static long nanos(List<?> answer, int index) {
		return number(answer, index) * NANOS_PER_MICRO;
	}

	private static long number(List<?> answer, int index) {
		return ((Number) answer.get(index)).longValue();
	}

	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
		byte[][] arguments = new byte[this.arguments.length + this.limits * 2][];
		System.arraycopy(this.arguments, 0, arguments, 0, this.arguments.length);
		arguments[0] = LimitArguments.number(permits);
		int at = this.arguments.length;
		for (RateLimitDecision each : given.limits()) {
			arguments[at] = LimitArguments.number(each.decidedAtNanos() / NANOS_PER_MICRO);
			arguments[at + 1] = LimitArguments.number(each.resetAfterNanos() / NANOS_PER_MICRO);
			at += 2;
		}
		this.runner.run(this.scripts.giveBack(), this.keys.of(key), arguments);
	}

	@Override
	public void reset(String key) {
		this.runner.delete(this.keys.of(key));
	}

}
