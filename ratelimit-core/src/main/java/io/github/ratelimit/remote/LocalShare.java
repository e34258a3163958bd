package io.github.ratelimit.remote;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * Enforces a policy in this process while the store cannot: this instance's share of each
 * limit, beginning with its share of the permits that the store last reported as left.
 * <p>
 * Each limit has states of its own, because the store's last answer differs between them.
 * A request that one of them rejects refunds what it took from the others. Until then,
 * other requests may be rejected in its place. A ban that the store last reported goes
 * on, but none begins here.
 */
final class LocalShare implements PolicyDecider {

	private final List<RateLimit> limits;

	private final LocalParts parts;

	private final PolicyDecider[] states;

	private final RememberedAnswers known;

	private final ResilienceSettings settings;

	private final RateLimitClock clock;

	/**
	 * Creates the states.
	 * @param policy the policy of all instances
	 * @param parts what each limit counts in this process, whatever its numbers are
	 * @param known the store's last answers
	 * @param settings how many instances share the policy, and when the store is tried
	 * again
	 * @param clock this process' time
	 */
	LocalShare(RateLimitPolicy policy, LocalParts parts, RememberedAnswers known, ResilienceSettings settings,
			RateLimitClock clock) {
		this.limits = policy.limits();
		this.parts = parts;
		this.known = known;
		this.settings = settings;
		this.clock = clock;
		this.states = new PolicyDecider[this.limits.size()];
		for (int i = 0; i < this.states.length; i++) {
			this.states[i] = parts.open(i,
					RateLimitPolicy.builder(policy.name())
						.key(policy.key())
						.charge(policy.charge())
						.limit(LimitShare.of(this.limits.get(i), settings.instances()))
						.build());
		}
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		RememberedAnswers.Answer answer = this.known.last(key);
		if (answer != null) {
			long now = this.clock.nanos();
			long banned = answer.bannedNanos(now);
			if (banned > 0) {
				RateLimitDecision decision = RateLimitDecisions.banned(now, banned);
				return (permits > 0) ? decision : RateLimitDecisions.asLook(decision);
			}
			if (answer.isOf(this.known)) {
				answer.useOnce(() -> begin(key, answer.decision, answer.age(now)));
			}
		}
		RateLimitDecision[] decisions = new RateLimitDecision[this.states.length];
		boolean allowed = true;
		for (int i = 0; i < decisions.length; i++) {
			decisions[i] = this.states[i].decide(key, permits);
			allowed &= decisions[i].allowed();
		}
		if (!allowed) {
			for (int i = 0; i < decisions.length; i++) {
				decisions[i] = decisions[i].allowed() ? undone(i, key, permits, decisions[i])
						: withRetry(i, permits, decisions[i]);
			}
		}
		return RateLimitDecisions.combined(decisions);
	}

	/*
	 * Takes the permits that were used already, unless the limit has all its permits
	 * again by now. A ban says nothing of them.
	 */
	private void begin(String key, RateLimitDecision answer, long elapsed) {
		if (answer.banned()) {
			return;
		}
		List<LimitStatus> answers = answer.limits();
		for (int i = 0; i < this.states.length; i++) {
			LimitStatus limit = answers.get(i);
			if (elapsed < limit.resetAfterNanos()) {
				long left = LimitShare.of(limit.remaining(), this.settings.instances());
				long taken = this.states[i].decide(key, 0).remaining() - left;
				if (taken > 0) {
					this.states[i].decide(key, taken);
				}
			}
		}
	}

	private RateLimitDecision undone(int limit, String key, long permits, RateLimitDecision taken) {
		this.states[limit].refund(key, permits, taken);
		return this.states[limit].decide(key, 0);
	}

	/*
	 * A cost above the share can pass when the store is back.
	 */
	private RateLimitDecision withRetry(int limit, long permits, RateLimitDecision rejection) {
		if (rejection.retryAfterNanos() != RateLimitDecision.NEVER || permits > this.limits.get(limit).capacity()) {
			return rejection;
		}
		return RateLimitDecisions.rejected(RateLimitReceipt.of(rejection).decidedAtNanos(0), rejection.remaining(),
				this.settings.retryInterval().toNanos(), rejection.resetAfterNanos(), rejection.nextPermitAfterNanos());
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		settle(key, permits, 0, given);
	}

	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		for (int i = 0; i < Math.min(this.states.length, given.limits().size()); i++) {
			this.states[i].settle(key, reserved, used, RateLimitDecisions.ofLimit(given, i));
		}
	}

	@Override
	public void reset(String key) {
		for (PolicyDecider each : this.states) {
			each.reset(key);
		}
	}

	@Override
	public long evictions() {
		return this.parts.evictions();
	}

	/**
	 * What each limit of a policy counts in this process while the store cannot. The
	 * limits of all versions of the policy go on from one another, place by place.
	 *
	 * @param local opens a policy in this process
	 * @param opened the limits, by their places
	 */
	record LocalParts(Function<RateLimitPolicy, PolicyDecider> local, Map<Integer, PolicyDecider> opened) {

		LocalParts(Function<RateLimitPolicy, PolicyDecider> local) {
			this(local, new ConcurrentHashMap<>());
		}

		/**
		 * Opens a limit.
		 * @param place its place in the policy
		 * @param policy a policy of this limit alone
		 */
		PolicyDecider open(int place, RateLimitPolicy policy) {
			PolicyDecider changed = this.opened.computeIfAbsent(place, (first) -> this.local.apply(policy))
				.under(policy);
			return (changed != null) ? changed : this.local.apply(policy);
		}

		long evictions() {
			return this.opened.values().stream().mapToLong(PolicyDecider::evictions).sum();
		}

	}

	/**
	 * One instance's share of a limit: all instances together allow no more than the
	 * limit. Fractions are dropped, but at least one permit is left, because an instance
	 * that allows nothing would be no fallback.
	 */
	static final class LimitShare {

		private LimitShare() {
		}

		/**
		 * One instance's share of permits.
		 * @param permits the permits of all instances, from 0
		 * @param instances how many they are, from 1
		 * @return 0 of none, otherwise at least 1
		 */
		static long of(long permits, int instances) {
			return Math.min(permits, Math.max(1, permits / instances));
		}

		/**
		 * One instance's share of a limit. The window stays.
		 * @param limit the limit of all instances
		 * @param instances how many they are, from 1
		 * @return a limit of the same algorithm, whose longest wait and time to drain are
		 * no longer than the limit's own
		 */
		static RateLimit of(RateLimit limit, int instances) {
			long share = of(limit.limit(), instances);
			RateLimit.Builder builder = RateLimit.builder(limit.algorithm())
				.limit(share)
				.window(limit.window())
				.countRejected(limit.countRejected());
			if (limit.calendar() != null) {
				builder.window(limit.calendar());
			}
			switch (limit.algorithm()) {
				case TOKEN_BUCKET -> builder.burst(
						Math.max(1, Math.min(of(limit.burst(), instances), inProportion(limit.burst(), limit, share))));
				case LEAKY_BUCKET -> divideQueue(limit, instances, share, builder);
				default -> {
				}
			}
			return builder.build();
		}

		/*
		 * The queue holds one more than the burst, and one more than the delay passes at
		 * once.
		 */
		private static void divideQueue(RateLimit limit, int instances, long share, RateLimit.Builder builder) {
			long most = Math.min(of(limit.burst() + 1, instances) - 1, inProportion(limit.burst(), limit, share));
			if (limit.nodelay()) {
				builder.burst(most).nodelay(true);
				return;
			}
			long delay = Math.min(most, of(limit.delay() + 1, instances) - 1);
			long waiting = inProportion(limit.burst() - limit.delay(), limit, share);
			builder.burst(Math.min(most, delay + waiting)).delay(delay);
		}

		/*
		 * As many as take no longer at the share's pace than all take at the limit's.
		 */
		private static long inProportion(long permits, RateLimit limit, long share) {
			return BigInteger.valueOf(permits)
				.multiply(BigInteger.valueOf(share))
				.divide(BigInteger.valueOf(limit.limit()))
				.longValueExact();
		}

	}

}
