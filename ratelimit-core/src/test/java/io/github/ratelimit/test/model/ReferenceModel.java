package io.github.ratelimit.test.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * One key of a policy by definition, whole decisions. How much is left and when to come
 * back is found by trying: the greatest number that would pass, the first tick at which
 * it would. All the laws are monotone in both, so that bisection finds them.
 *
 * @since 0.1.0
 */
public final class ReferenceModel {

	private final RateLimitPolicy policy;

	private final long nanosPerTick;

	private final List<Request> requests = new ArrayList<>();

	private final @Nullable BanModel bans;

	private List<LimitModel> limits;

	private final long capacity;

	private final long longest;

	/**
	 * Creates the model of a key that was never seen.
	 * @param policy the policy
	 * @param nanosPerTick the tick of the moments
	 */
	public ReferenceModel(RateLimitPolicy policy, long nanosPerTick) {
		this.policy = policy;
		this.nanosPerTick = nanosPerTick;
		this.limits = newLimits();
		this.bans = (policy.ban() != null) ? new BanModel(policy.ban(), nanosPerTick) : null;
		this.capacity = policy.capacity();
		this.longest = policy.limits()
			.stream()
			.mapToLong((limit) -> untilSurelyNew(limit, nanosPerTick))
			.max()
			.orElseThrow();
	}

	private List<LimitModel> newLimits() {
		return this.policy.limits()
			.stream()
			.map((limit) -> LimitModel.of(limit, this.nanosPerTick, this.policy.charge() != null))
			.toList();
	}

	private static long untilSurelyNew(RateLimit limit, long nanosPerTick) {
		long window = limit.window().toNanos() / nanosPerTick;
		return Fraction.of(2 * limit.capacity()).times(Fraction.of(window, limit.limit())).ceil() + 2 * window;
	}

	/**
	 * Decides on a request and takes or notes it.
	 * @param now the moment in ticks, not before an earlier one
	 * @param permits how many permits the request costs, 0 for a look
	 * @return the decision, as {@link Decisions#describe} writes it
	 */
	public String decide(long now, long permits) {
		if (this.bans != null && this.bans.left(now) > 0) {
			RateLimitDecision banned = RateLimitDecisions.banned(now * this.nanosPerTick,
					this.bans.left(now) * this.nanosPerTick);
			return Decisions.describe((permits > 0) ? banned : RateLimitDecisions.asLook(banned));
		}
		boolean[] agrees = new boolean[this.limits.size()];
		for (int i = 0; i < agrees.length; i++) {
			agrees[i] = this.limits.get(i).admits(now, permits);
		}
		boolean allowed = permits <= this.capacity && admits(this.limits, now, permits);
		long[] delays = apply(now, permits, allowed);
		this.requests.add(new Request(now, permits, false));
		if (this.bans != null && !allowed && permits <= this.capacity) {
			int times = this.bans.reject(now);
			if (times > 0) {
				return Decisions.describe(RateLimitDecisions.newlyBanned(now * this.nanosPerTick,
						this.bans.left(now) * this.nanosPerTick, times));
			}
		}
		long delay = LongStream.of(delays).max().orElseThrow();
		RateLimitDecision common = decision(this.limits, this.capacity, now, permits, allowed, delay);
		if (agrees.length == 1) {
			return Decisions.describe(common);
		}
		List<RateLimitDecision> each = new ArrayList<>();
		for (int i = 0; i < agrees.length; i++) {
			LimitModel limit = this.limits.get(i);
			each.add(decision(List.of(limit), limit.limit.capacity(), now, permits, agrees[i], delays[i]));
		}
		return Decisions.describe(common, each);
	}

	/**
	 * Makes the last request one that never was.
	 */
	public void forgetLast() {
		replaceLast(null);
	}

	/**
	 * Settles the last request: one that has used less has only ever cost that; what one
	 * has used beyond is taken now, as far as there may be debts.
	 * @param now the moment in ticks, not before an earlier one
	 * @param used how many permits it has used, from 0
	 */
	public void settleLast(long now, long used) {
		Request last = this.requests.get(this.requests.size() - 1);
		if (used < last.permits()) {
			replaceLast(new Request(last.at(), used, false));
		}
		else if (used > last.permits()) {
			Request rest = new Request(now, used - last.permits(), true);
			this.requests.add(rest);
			apply(rest);
		}
	}

	private void replaceLast(@Nullable Request other) {
		this.requests.remove(this.requests.size() - 1);
		if (other != null) {
			this.requests.add(other);
		}
		this.limits = newLimits();
		this.requests.forEach(this::apply);
	}

	private void apply(Request request) {
		if (request.charge()) {
			this.limits.forEach((limit) -> limit.charge(request.at(), request.permits()));
			return;
		}
		boolean allowed = request.permits() <= this.capacity && admits(this.limits, request.at(), request.permits());
		apply(request.at(), request.permits(), allowed);
	}

	private long[] apply(long now, long permits, boolean allowed) {
		long[] delays = new long[this.limits.size()];
		for (int i = 0; i < delays.length && permits > 0 && permits <= this.capacity; i++) {
			LimitModel limit = this.limits.get(i);
			if (allowed) {
				delays[i] = limit.delay(now, permits);
				limit.take(now, permits);
			}
			else if (!limit.admits(now, permits)) {
				limit.recordRejected(now, permits);
			}
		}
		return delays;
	}

	private RateLimitDecision decision(List<LimitModel> limits, long capacity, long now, long permits, boolean allowed,
			long delay) {
		long remaining = remaining(limits, capacity, now);
		long reset = first(
				(ticks) -> limits.stream().allMatch((limit) -> limit.admits(now + ticks, limit.limit.capacity())));
		long next = (remaining < capacity) ? first((ticks) -> admits(limits, now + ticks, remaining + 1)) : 0;
		long at = now * this.nanosPerTick;
		if (allowed) {
			return RateLimitDecisions.allowed(at, remaining, delay * this.nanosPerTick, reset * this.nanosPerTick,
					next * this.nanosPerTick);
		}
		long retry = (permits > capacity) ? RateLimitDecision.NEVER
				: this.nanosPerTick * first((ticks) -> admits(limits, now + ticks, permits));
		return RateLimitDecisions.rejected(at, remaining, retry, reset * this.nanosPerTick, next * this.nanosPerTick);
	}

	private static boolean admits(List<LimitModel> limits, long now, long permits) {
		for (LimitModel limit : limits) {
			if (!limit.admits(now, permits)) {
				return false;
			}
		}
		return true;
	}

	private static long remaining(List<LimitModel> limits, long capacity, long now) {
		long low = 0;
		long high = capacity;
		while (low < high) {
			long middle = low + (high - low + 1) / 2;
			if (admits(limits, now, middle)) {
				low = middle;
			}
			else {
				high = middle - 1;
			}
		}
		return low;
	}

	private long first(LongPredicate holdsAfter) {
		long low = 0;
		long high = this.longest;
		while (low < high) {
			long middle = low + (high - low) / 2;
			if (holdsAfter.test(middle)) {
				high = middle;
			}
			else {
				low = middle + 1;
			}
		}
		return low;
	}

	private record Request(long at, long permits, boolean charge) {
	}

}
