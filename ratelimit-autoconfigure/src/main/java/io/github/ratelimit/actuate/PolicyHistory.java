package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.Arrays;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.policy.StoreRateLimiter;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What one policy decided lately: a ring of two kilobytes, filled with how far its
 * counters have moved.
 */
final class PolicyHistory {

	static final int STEPS = 120;

	private static final RateLimitOutcome[] REJECTIONS = { RateLimitOutcome.REJECTED, RateLimitOutcome.QUEUE_FULL,
			RateLimitOutcome.BANNED, RateLimitOutcome.UNAVAILABLE };

	/* What was allowed, delayed, rejected, and would have been rejected. */
	private final int[][] rings = new int[4][STEPS];

	private Totals before = new Totals(0, 0, 0, 0, 0);

	private int next;

	private int size;

	/**
	 * Adds what was decided since the last call.
	 * @param limiter the policy's limiter
	 * @param steps how many steps have passed, from 1; nothing is known of all but the
	 * last of them
	 */
	synchronized void add(RateLimiter limiter, int steps) {
		Totals now = Totals.of(limiter);
		Totals moved = now.minus(this.before);
		this.before = now;
		for (int i = 1; i < Math.min(steps, STEPS); i++) {
			push(0, 0, 0, 0);
		}
		/*
		 * shadow limits are tried beside the policy's own; otherwise shadow lets pass
		 * what it decides on
		 */
		boolean besides = !limiter.policy().shadowLimits().isEmpty() && moved.enforced() > 0;
		push(moved.allowed + (besides ? 0 : moved.tried), moved.delayed, moved.rejected, moved.wouldBeRejected);
	}

	private void push(long... values) {
		for (int i = 0; i < values.length; i++) {
			this.rings[i][this.next] = (int) Math.max(0, Math.min(values[i], Integer.MAX_VALUE));
		}
		this.next = (this.next + 1) % STEPS;
		this.size = Math.min(this.size + 1, STEPS);
	}

	synchronized HistoryDescriptor describe(String policy, int step, Instant end) {
		return new HistoryDescriptor(policy, step, end,
				new HistoryDescriptor.RequestsDescriptor(inOrder(0), inOrder(1), inOrder(2), inOrder(3)));
	}

	private int[] inOrder(int series) {
		int[] ring = this.rings[series];
		if (this.size < STEPS) {
			return Arrays.copyOf(ring, this.size);
		}
		int[] ordered = Arrays.copyOfRange(ring, this.next, this.next + STEPS);
		System.arraycopy(ring, 0, ordered, STEPS - this.next, this.next);
		return ordered;
	}

	/**
	 * Numbers since the start.
	 *
	 * @param allowed passed at once
	 * @param delayed passed after waiting
	 * @param rejected rejected, for whatever reason
	 * @param tried decided on in shadow
	 * @param wouldBeRejected of these, what would have been rejected
	 */
	private record Totals(long allowed, long delayed, long rejected, long tried, long wouldBeRejected) {

		static Totals of(RateLimiter limiter) {
			RateLimitShadow shadow = limiter.shadow();
			long wouldBeRejected = (shadow != null) ? rejections(shadow::count) : 0;
			long tried = (shadow != null)
					? wouldBeRejected + shadow.count(RateLimitOutcome.ALLOWED) + shadow.count(RateLimitOutcome.DELAYED)
					: 0;
			Counts enforced = enforced(limiter);
			return new Totals(enforced.of(RateLimitOutcome.ALLOWED), enforced.of(RateLimitOutcome.DELAYED),
					rejections(enforced), tried, wouldBeRejected);
		}

		private static Counts enforced(RateLimiter limiter) {
			if (limiter instanceof StoreRateLimiter store) {
				return store::enforced;
			}
			return (limiter.policy().mode() == RateLimitMode.ENFORCE) ? limiter::count : (outcome) -> 0;
		}

		private static long rejections(Counts counts) {
			long sum = 0;
			for (RateLimitOutcome outcome : REJECTIONS) {
				sum += counts.of(outcome);
			}
			return sum;
		}

		Totals minus(Totals other) {
			return new Totals(this.allowed - other.allowed, this.delayed - other.delayed,
					this.rejected - other.rejected, this.tried - other.tried,
					this.wouldBeRejected - other.wouldBeRejected);
		}

		long enforced() {
			return this.allowed + this.delayed + this.rejected;
		}

	}

	/**
	 * How many requests had an outcome.
	 */
	private interface Counts {

		long of(RateLimitOutcome outcome);

	}

	/**
	 * Description of what a policy decided lately.
	 *
	 * @param policy the policy's name
	 * @param step the length of each step in seconds
	 * @param end when the last step ended
	 * @param requests the requests in each step, oldest first
	 */
	record HistoryDescriptor(String policy, int step, Instant end,
			RequestsDescriptor requests) implements OperationResponseBody {

		/**
		 * Description of requests by what became of them.
		 *
		 * @param allowed passed at once; also all that were only decided on in shadow
		 * @param delayed passed after waiting
		 * @param rejected rejected, for whatever reason
		 * @param wouldBeRejected would have been rejected by what is tried in shadow
		 */
		record RequestsDescriptor(int[] allowed, int[] delayed, int[] rejected, int[] wouldBeRejected) {
		}

	}

}
