package io.github.ratelimit.policy;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitThresholdEvent;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * Notices when a key crosses a share of a limit of one policy. A decision knows what the
 * key had left before and after it, so that of all decisions on a window, wherever they
 * are made, exactly one crosses. Where permits come back meanwhile, a share is crossed
 * again and again: what was told lately is remembered.
 */
final class ThresholdReports {

	/** How many crossings are remembered. */
	static final int MAXIMUM = 16_384;

	private static final int WHOLE = 100;

	private final int[] shares;

	private final AtomicLongArray counts;

	private final ThresholdDelivery delivery;

	private final RateLimitClock clock;

	/* Until when each crossing is not told again, the oldest first. */
	private final Map<Crossing, Long> told = new LinkedHashMap<>();

	/**
	 * Creates reports.
	 * @param shares the shares in percent, ascending
	 * @param delivery tells of them
	 * @param clock the time of decisions that do not say theirs
	 */
	ThresholdReports(List<Integer> shares, ThresholdDelivery delivery, RateLimitClock clock) {
		this.shares = shares.stream().mapToInt(Integer::intValue).toArray();
		this.counts = new AtomicLongArray(this.shares.length);
		this.delivery = delivery;
		this.clock = clock;
	}

	/**
	 * Adds what became of a request. Only one that takes permits crosses a share, and one
	 * that waits for a reserved permit crosses none: by then all are used. How much is
	 * used is not known while the store cannot be asked.
	 */
	void add(RateLimitPolicy policy, String key, long permits, RateLimitDecision decision, RateLimitOutcome outcome) {
		boolean takes = outcome == RateLimitOutcome.ALLOWED || outcome == RateLimitOutcome.DELAYED;
		boolean isReserved = outcome == RateLimitOutcome.DELAYED && !policy.maxWait().isZero();
		if (!takes || isReserved || decision.fallback()) {
			return;
		}

		List<RateLimit> limits = policy.limits();
		List<? extends LimitStanding> left = decision.limits();
		for (int i = 0; i < Math.min(limits.size(), left.size()); i++) {
			LimitStanding after = left.get(i);
			add(policy, key, limits.get(i), after.remaining() + permits, after, decidedAtNanos(decision, i));
		}
	}

	/**
	 * Adds what was taken once a request was over.
	 */
	void add(RateLimitPolicy policy, String key, LateCharge charge) {
		List<RateLimit> limits = policy.limits();
		List<? extends LimitStanding> before = charge.before().limits();
		List<? extends LimitStanding> after = charge.after().limits();
		for (int i = 0; i < Math.min(limits.size(), after.size()); i++) {
			add(policy, key, limits.get(i), before.get(i).remaining(), after.get(i), decidedAtNanos(charge.after(), i));
		}
	}

	private void add(RateLimitPolicy policy, String key, RateLimit limit, long before, LimitStanding after,
			long decidedAtNanos) {
		long capacity = limit.capacity();
		long usedBefore = capacity - before;
		long used = capacity - after.remaining();
		for (int i = 0; i < this.shares.length; i++) {
			long threshold = (capacity * this.shares[i] + WHOLE - 1) / WHOLE;
			if (usedBefore < threshold && threshold <= used) {
				tell(policy, key, limit, i, decidedAtNanos, decidedAtNanos + after.resetAfterNanos());
			}
		}
	}

	private void tell(RateLimitPolicy policy, String key, RateLimit limit, int share, long now, long resetAt) {
		Crossing crossing = new Crossing(key, limit, this.shares[share], 0);
		long until = now + limit.window().toNanos();
		if (returnsAtOnce(limit)) {
			crossing = new Crossing(key, limit, this.shares[share], resetAt);
			until = Long.MAX_VALUE;
		}

		if (note(crossing, now, until)) {
			this.counts.incrementAndGet(share);
			this.delivery.deliver(new RateLimitThresholdEvent(policy, key, limit, this.shares[share],
					Instant.EPOCH.plusNanos(resetAt)));
		}
	}

	/*
	 * Whether all permits of a key come back at once, so that each window is told of.
	 */
	private static boolean returnsAtOnce(RateLimit limit) {
		return switch (limit.algorithm()) {
			case FIXED_WINDOW_COUNTER -> true;
			case TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW_LOG, SLIDING_WINDOW_COUNTER -> false;
		};
	}

	private synchronized boolean note(Crossing crossing, long now, long until) {
		Long before = this.told.get(crossing);
		if (before != null && now < before) {
			return false;
		}

		this.told.remove(crossing);
		if (this.told.size() >= MAXIMUM) {
			this.told.remove(this.told.keySet().iterator().next());
		}
		this.told.put(crossing, until);
		return true;
	}

	/**
	 * Forgets what was told of a key, which has all of its permits.
	 */
	synchronized void forget(String key) {
		this.told.keySet().removeIf((crossing) -> crossing.key().equals(key));
	}

	/**
	 * How many times keys have crossed a share.
	 */
	long count(int share) {
		for (int i = 0; i < this.shares.length; i++) {
			if (this.shares[i] == share) {
				return this.counts.get(i);
			}
		}
		return 0;
	}

	private long decidedAtNanos(RateLimitDecision decision, int limit) {
		if (decision instanceof RateLimitReceipt receipt) {
			return receipt.decidedAtNanos(limit);
		}
		return this.clock.nanos();
	}

	/**
	 * A share of a limit that a key has crossed.
	 *
	 * @param window when the window ends in which it did, or 0 if the limit has no
	 * windows
	 */
	private record Crossing(String key, RateLimit limit, int share, long window) {
	}

}
