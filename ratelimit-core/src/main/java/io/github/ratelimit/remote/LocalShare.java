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
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * Enforces a policy in this process while the store cannot. It enforces this instance's
 * share of each limit, beginning with its share of the permits that the store last
 * reported as left.
 * <p>
 * Each limit has states of its own, because the store's last answer differs between them.
 * A request that one of them rejects refunds what it took from the others. Until then,
 * other requests may be rejected because of it. A ban that the store last reported goes
 * on, but none begins here.
 */
final class LocalShare implements PolicyDecider {

	private final List<RateLimit> limits;

	private final LocalParts parts;

	private final PolicyDecider[] deciders;

	private final RememberedAnswers known;

	private final ResilienceSettings settings;

	private final RateLimitClock clock;

	/**
	 * Creates the shares.
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
		this.deciders = new PolicyDecider[this.limits.size()];
		for (int i = 0; i < this.deciders.length; i++) {
			this.deciders[i] = parts.open(i,
					RateLimitPolicy.builder(policy.name())
						.key(policy.key())
						.charge(policy.charge())
						.maxWait(policy.maxWait())
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
				return banned(now, banned, permits);
			}
			if (answer.isOf(this.known)) {
				answer.useOnce(() -> begin(key, answer.decision, answer.age(now)));
			}
		}
		return decideByShares(key, permits);
	}

	private static RateLimitDecision banned(long now, long nanos, long permits) {
		RateLimitDecision decision = RateLimitDecisions.banned(now, nanos);
		if (permits == 0) {
			return RateLimitDecisions.asLook(decision);
		}
		return decision;
	}

	private RateLimitDecision decideByShares(String key, long permits) {
		RateLimitDecision[] decisions = new RateLimitDecision[this.deciders.length];
		boolean allowed = true;
		for (int i = 0; i < decisions.length; i++) {
			decisions[i] = this.deciders[i].decide(key, permits);
			allowed &= decisions[i].allowed();
		}

		if (!allowed) {
			for (int i = 0; i < decisions.length; i++) {
				decisions[i] = undone(i, key, permits, decisions[i]);
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
		for (int i = 0; i < this.deciders.length; i++) {
			LimitStatus limit = answers.get(i);
			if (elapsed < limit.resetAfterNanos()) {
				long left = LimitShare.of(limit.remaining(), this.settings.instances());
				long taken = this.deciders[i].decide(key, 0).remaining() - left;
				if (taken > 0) {
					this.deciders[i].decide(key, taken);
				}
			}
		}
	}

	/*
	 * What a limit says of a request that is rejected, by itself or by another limit.
	 */
	private RateLimitDecision undone(int limit, String key, long permits, RateLimitDecision decision) {
		if (!decision.allowed()) {
			return withRetry(limit, permits, decision);
		}
		this.deciders[limit].refund(key, permits, decision);
		return this.deciders[limit].decide(key, 0);
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
	public @Nullable LateCharge settle(String key, long reserved, long used, RateLimitDecision given) {
		for (int i = 0; i < Math.min(this.deciders.length, given.limits().size()); i++) {
			this.deciders[i].settle(key, reserved, used, RateLimitDecisions.ofLimit(given, i));
		}
		return null;
	}

	/*
	 * Also what limits have counted that only other versions of the policy have.
	 */
	@Override
	public void reset(String key) {
		this.parts.reset(key);
		for (PolicyDecider each : this.deciders) {
			each.reset(key);
		}
	}

	@Override
	public long evictions() {
		return this.parts.evictions();
	}

	/**
	 * The counts of each limit of a policy in this process, for use while the store
	 * cannot count. The limits of all versions of the policy go on from one another,
	 * index by index.
	 *
	 * @param local opens a policy in this process
	 * @param opened the limits by their index
	 */
	record LocalParts(Function<RateLimitPolicy, PolicyDecider> local, Map<Integer, PolicyDecider> opened) {

		LocalParts(Function<RateLimitPolicy, PolicyDecider> local) {
			this(local, new ConcurrentHashMap<>());
		}

		/**
		 * Opens a limit.
		 * @param index the limit's index in the policy
		 * @param policy a policy of this limit alone
		 */
		PolicyDecider open(int index, RateLimitPolicy policy) {
			PolicyDecider first = this.opened.computeIfAbsent(index, (absent) -> this.local.apply(policy));
			PolicyDecider changed = first.under(policy);
			if (changed != null) {
				return changed;
			}
			return this.local.apply(policy);
		}

		void reset(String key) {
			this.opened.values().forEach((each) -> each.reset(key));
		}

		long evictions() {
			return this.opened.values().stream().mapToLong(PolicyDecider::evictions).sum();
		}

	}

	/**
	 * Divides a limit, so that all instances together allow no more than it. Fractions
	 * are dropped, but at least one permit is left, because an instance that allows
	 * nothing would be no fallback.
	 */
	static final class LimitShare {

		private LimitShare() {
		}

		/**
		 * Returns one instance's share of permits.
		 * @param permits the permits of all instances, from 0
		 * @param instances how many they are, from 1
		 * @return 0 of none, otherwise at least 1
		 */
		static long of(long permits, int instances) {
			return Math.min(permits, Math.max(1, permits / instances));
		}

		/**
		 * Returns one instance's share of a limit. The window stays.
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

			RateLimit.Builder divided = switch (limit.algorithm()) {
				case TOKEN_BUCKET -> builder.burst(
						Math.max(1, Math.min(of(limit.burst(), instances), inProportion(limit.burst(), limit, share))));
				case LEAKY_BUCKET -> divideQueue(limit, instances, share, builder);
				case FIXED_WINDOW_COUNTER, SLIDING_WINDOW_LOG, SLIDING_WINDOW_COUNTER -> builder;
			};
			return divided.build();
		}

		/*
		 * The queue holds one more than the burst, and one more than the delay passes at
		 * once.
		 */
		private static RateLimit.Builder divideQueue(RateLimit limit, int instances, long share,
				RateLimit.Builder builder) {
			long most = Math.min(of(limit.burst() + 1, instances) - 1, inProportion(limit.burst(), limit, share));
			if (limit.nodelay()) {
				return builder.burst(most).nodelay(true);
			}
			long delay = Math.min(most, of(limit.delay() + 1, instances) - 1);
			long waiting = inProportion(limit.burst() - limit.delay(), limit, share);
			return builder.burst(Math.min(most, delay + waiting)).delay(delay);
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
