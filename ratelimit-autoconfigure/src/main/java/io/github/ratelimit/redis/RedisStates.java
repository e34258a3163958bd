package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStates;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The states of one policy's keys in Redis.
 */
final class RedisStates implements RateLimitStates {

	private static final byte[][] ONE = {};

	private static final Log logger = LogFactory.getLog(RedisRateLimitStore.class);

	private final AtomicBoolean warned = new AtomicBoolean();

	private final String policy;

	private final ScriptRunner runner;

	private final LimitScript[] limits;

	private final RateLimitScripts scripts;

	private final RedisKeys keys;

	private final Duration timeout;

	RedisStates(RateLimitPolicy policy, String prefix, String time, ScriptRunner runner, Duration timeout) {
		List<LimitScript> limits = policy.limits().stream().map(LimitScript::of).toList();
		this.policy = policy.name();
		this.runner = runner;
		this.timeout = timeout;
		this.limits = limits.toArray(LimitScript[]::new);
		this.scripts = RateLimitScripts.of(time, limits);
		this.keys = new RedisKeys(prefix, policy.name(), (int) limits.stream().filter(LimitScript::keepsLog).count());
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		Deadline deadline = Deadline.after(this.timeout);
		return safely(() -> read(this.runner.run(deciding(key, permits), deadline), permits));
	}

	/**
	 * What to run for a decision.
	 */
	ScriptCall deciding(String key, long permits) {
		byte[][] arguments = (permits == 1) ? ONE : new byte[][] { argument(permits) };
		return new ScriptCall(this.scripts.decide(), this.keys.of(key), arguments);
	}

	/**
	 * Reads the answer of a decision.
	 */
	RateLimitDecision read(byte[] answer, long permits) {
		return decision(ByteBuffer.wrap(answer), permits);
	}

	/*
	 * Whatever a client library throws, and whatever a server answers, is a failure of
	 * Redis, and no caller's to handle.
	 */
	private static <T> T safely(Callable<T> call) {
		try {
			return call.call();
		}
		catch (Exception ex) {
			throw RedisCallException.of(ex);
		}
	}

	/*
	 * See ScriptAssembler. A limit that agrees, where another does not, is only looked
	 * at.
	 */
	private RateLimitDecision decision(ByteBuffer answer, long permits) {
		long moment = LimitScript.number(answer);
		if (moment < 0) {
			warnOfState();
		}
		long now = Math.abs(moment);
		boolean allowed = true;
		boolean[] agrees = new boolean[this.limits.length];
		for (int i = 0; i < agrees.length; i++) {
			agrees[i] = answer.get() == 1;
			allowed &= agrees[i];
		}
		RateLimitDecision[] decisions = new RateLimitDecision[this.limits.length];
		for (int i = 0; i < decisions.length; i++) {
			long asked = (agrees[i] && !allowed) ? 0 : permits;
			decisions[i] = this.limits[i].decision(answer, now, asked, agrees[i]);
		}
		return RateLimitDecision.combined(decisions);
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
		safely(() -> this.runner.run(givingBack(key, permits, given), deadline));
	}

	/**
	 * What to run to give back.
	 */
	ScriptCall givingBack(String key, long permits, RateLimitDecision given) {
		byte[][] arguments = new byte[1 + this.limits.length * 2][];
		arguments[0] = argument(permits);
		int at = 1;
		for (RateLimitDecision each : given.limits()) {
			arguments[at] = argument(LimitScript.micros(each.decidedAtNanos()));
			arguments[at + 1] = argument(LimitScript.micros(each.resetAfterNanos()));
			at += 2;
		}
		return new ScriptCall(this.scripts.giveBack(), this.keys.of(key), arguments);
	}

	private static byte[] argument(long number) {
		return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
	}

	@Override
	public void reset(String key) {
		Deadline deadline = Deadline.after(this.timeout);
		safely(() -> {
			this.runner.delete(this.keys.of(key), deadline);
			return null;
		});
	}

}
