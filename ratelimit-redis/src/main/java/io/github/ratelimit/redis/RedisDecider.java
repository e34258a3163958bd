package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.remote.RemoteDecider;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.RateLimitReceipt;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one policy, on the states of its keys in Redis.
 */
final class RedisDecider implements RemoteDecider {

	private static final ScriptCall.Script DELETE = ScriptCall.Script.of("redis.call('DEL', unpack(KEYS))\nreturn ''",
			"");

	private static final byte[][] NO_ARGUMENTS = {};

	private static final String[] NO_BANS = {};

	private static final String[] BAN = { RedisKeys.BAN };

	private static final String[] SHADOW_BAN = { RedisKeys.SHADOW_BAN };

	private static final String[] ALL_BANS = { RedisKeys.BAN, RedisKeys.SHADOW_BAN };

	/* The moment at which a limit gave permits that was not there yet. */
	private static final long NEVER = -1;

	/* The store's, because that is the name that users configure. */
	private static final Log logger = LogFactory.getLog(RedisRateLimitStore.class);

	final ScriptRunner runner;

	/**
	 * Is run where a key has held something that is not its state.
	 */
	final Runnable unreadable = this::warnOfState;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final String policy;

	private final RateLimitScripts scripts;

	private final RedisKeys keys;

	/* What is only counted in shadow is not enforced later. */
	private final String[] ban;

	private final boolean joins;

	private volatile PolicyScript present;

	/**
	 * Creates a decider.
	 * @param runner the way to the servers
	 * @param prefix what all keys begin with
	 * @param policy the policy
	 */
	RedisDecider(ScriptRunner runner, String prefix, RateLimitPolicy policy) {
		Algorithm.checkSize(policy);
		this.runner = runner;
		this.policy = policy.name();
		this.present = PolicyScript.of(policy);
		this.joins = this.present.joins();
		this.scripts = RateLimitScripts.of(this.present);
		this.keys = new RedisKeys(prefix, policy.name(), this.present.logs());
		this.ban = ban(policy);
	}

	private static String[] ban(RateLimitPolicy policy) {
		if (policy.ban() == null) {
			return NO_BANS;
		}
		return (policy.mode() == RateLimitMode.SHADOW) ? SHADOW_BAN : BAN;
	}

	/**
	 * Returns the policy's part of scripts, with its numbers for the moment that the
	 * server last reported.
	 */
	PolicyScript present() {
		return this.present;
	}

	/**
	 * Goes to a moment of the server.
	 * @param now microseconds since the epoch
	 * @return the policy's part of scripts, with its numbers for that moment
	 */
	PolicyScript goTo(long now) {
		PolicyScript then = this.present.at(now);
		if (then != this.present) {
			this.present = then;
		}
		return then;
	}

	@Override
	public String server(String key) {
		if (!this.runner.isCluster()) {
			return "";
		}
		return this.runner.node(this.keys.of(key)[0]);
	}

	@Override
	public RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
		return new RedisDecision(this, this.scripts.decide(), keysToDecide(key), permits, withoutDelay);
	}

	@Override
	public boolean joins() {
		return this.joins;
	}

	@Override
	public RemoteStore.Call<List<RateLimitDecision>> decideAll(String key, long[] permits, boolean withoutDelay) {
		return new JoinedCall(key, runs(permits, this.present.countsRejected()), withoutDelay);
	}

	/*
	 * Returns of requests alike that follow one another what each costs, and how many
	 * they are.
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

	private byte[][] keysToDecide(String key) {
		return this.keys.of(key, this.ban);
	}

	/*
	 * Does not say which key it is, because that would be a client's text in the log.
	 */
	private void warnOfState() {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("A key of the rate limit policy '" + this.policy + "' held something in Redis that is not its "
					+ "state: it begins anew. If it was another application's, set another ratelimit.redis.key-prefix");
		}
	}

	@Override
	public RemoteStore.Call<Void> refund(String key, long permits, RateLimitDecision given) {
		return new Change<>(this.scripts.refund(), key, refundNumbers(permits, given));
	}

	/* A limit that the policy did not have then has given nothing. */
	private long[] refundNumbers(long permits, RateLimitDecision given) {
		RateLimitReceipt receipt = RateLimitReceipt.of(given);
		int gave = given.limits().size();
		List<LimitScript> limits = this.present.limits;
		long[] more = new long[1 + 2 * limits.size()];
		more[0] = permits;
		for (int i = 0; i < limits.size(); i++) {
			if (i < gave) {
				System.arraycopy(limits.get(i).given(receipt, i), 0, more, 2 * i + 1, 2);
			}
			else {
				more[2 * i + 1] = NEVER;
			}
		}
		return more;
	}

	@Override
	public RemoteStore.Call<@Nullable LateCharge> charge(String key, long permits) {
		if (this.present.warns) {
			return new ToldCharge(this.scripts.settle(), key, permits);
		}
		return new Change<>(this.scripts.settle(), key, permits);
	}

	@Override
	public RemoteStore.Call<Void> reset(String key) {
		String[] bans = this.present.bans() ? ALL_BANS : NO_BANS;
		return ScriptCall.of(this.runner, DELETE, this.keys.of(key, bans), NO_ARGUMENTS, RedisDecider::nothing);
	}

	private static @Nullable Void nothing(byte[] answer) {
		return null;
	}

	/**
	 * The call that decides on several requests for one key.
	 */
	private final class JoinedCall extends ScriptCall<List<RateLimitDecision>> {

		private final long[] runs;

		private final boolean withoutDelay;

		JoinedCall(String key, long[] runs, boolean withoutDelay) {
			super(RedisDecider.this.runner, RedisDecider.this.scripts.decideAll(), keysToDecide(key));
			this.runs = runs;
			this.withoutDelay = withoutDelay;
		}

		@Override
		byte[][] arguments() {
			return new byte[][] { RedisDecider.this.present.numbers(this.withoutDelay, this.runs) };
		}

		@Override
		boolean takeMoment(long now) {
			goTo(now);
			return true;
		}

		@Override
		List<RateLimitDecision> read(byte[] answer) {
			ByteBuffer buffer = LimitScript.buffer(answer);
			long now = LimitScript.readNumber(buffer);
			PolicyScript policy = goTo(now);

			List<RateLimitDecision> decisions = new ArrayList<>();
			for (int i = 0; i < this.runs.length; i += 2) {
				decisions.addAll(policy.decisions(buffer, now, this.runs[i], this.runs[i + 1], this.withoutDelay,
						RedisDecider.this.unreadable));
			}
			return decisions;
		}

	}

	/**
	 * A call that changes what a decision has taken.
	 *
	 * @param <T> what it answers, if anything
	 */
	private class Change<T extends @Nullable Object> extends ScriptCall<T> {

		/* What follows the numbers of the policy. */
		private final long[] more;

		Change(Script script, String key, long... more) {
			super(RedisDecider.this.runner, script, RedisDecider.this.keys.of(key));
			this.more = more;
		}

		@Override
		byte[][] arguments() {
			return new byte[][] { RedisDecider.this.present.withoutBan.numbers(false, this.more) };
		}

		@Override
		boolean takeMoment(long now) {
			goTo(now);
			return true;
		}

		/* A Void is null, whatever its use says. */
		@Override
		@SuppressWarnings("NullAway")
		T read(byte[] answer) {
			return null;
		}

	}

	/**
	 * A call that takes permits which have been used already, and tells what was left.
	 */
	private final class ToldCharge extends Change<@Nullable LateCharge> {

		ToldCharge(Script script, String key, long permits) {
			super(script, key, permits);
		}

		/* Nothing was taken of a state that other limits have written. */
		@Override
		@SuppressWarnings("NullAway")
		@Nullable LateCharge read(byte[] answer) {
			if (answer.length == 0) {
				return null;
			}
			ByteBuffer buffer = LimitScript.buffer(answer);
			RateLimitDecision before = readLook(buffer);
			RateLimitDecision after = readLook(buffer);
			return new LateCharge(before, after);
		}

		private RateLimitDecision readLook(ByteBuffer answer) {
			long now = LimitScript.readNumber(answer);
			return goTo(now).withoutBan.decision(answer, now, 0, false, RedisDecider.this.unreadable);
		}

	}

}
