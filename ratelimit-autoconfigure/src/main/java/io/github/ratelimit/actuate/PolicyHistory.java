package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.Arrays;
import java.util.function.ToLongFunction;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitShadow;
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

	private long[] before = new long[6];

	private int next;

	private int size;

	/**
	 * Adds what was decided since the last call.
	 * @param limiter the policy's limiter
	 * @param steps how many steps have passed, from 1; nothing is known of all but the
	 * last of them
	 */
	synchronized void add(StoreRateLimiter limiter, int steps) {
		long[] now = totals(limiter);
		long[] moved = new long[now.length];
		Arrays.setAll(moved, (i) -> now[i] - this.before[i]);
		this.before = now;
		for (int i = 1; i < Math.min(steps, STEPS); i++) {
			push(0, 0, 0, 0);
		}
		/*
		 * shadow limits are tried beside the policy's own; otherwise shadow lets pass
		 * what it decides on
		 */
		boolean besides = !limiter.policy().shadowLimits().isEmpty() && moved[0] + moved[1] + moved[2] > 0;
		long tried = moved[3] + moved[4] + moved[5];
		push(moved[0] + (besides ? 0 : tried), moved[1], moved[2], moved[5]);
	}

	/*
	 * Allowed, delayed and rejected since the start: enforced, and then in shadow.
	 */
	private static long[] totals(StoreRateLimiter limiter) {
		long[] totals = new long[6];
		count(limiter::enforced, totals, 0);
		RateLimitShadow shadow = limiter.shadow();
		if (shadow != null) {
			count(shadow::count, totals, 3);
		}
		return totals;
	}

	private static void count(ToLongFunction<RateLimitOutcome> counts, long[] totals, int first) {
		totals[first] = counts.applyAsLong(RateLimitOutcome.ALLOWED);
		totals[first + 1] = counts.applyAsLong(RateLimitOutcome.DELAYED);
		for (RateLimitOutcome rejection : REJECTIONS) {
			totals[first + 2] += counts.applyAsLong(rejection);
		}
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
		int[] ordered = new int[this.size];
		int oldest = this.next - this.size + STEPS;
		Arrays.setAll(ordered, (i) -> this.rings[series][(oldest + i) % STEPS]);
		return ordered;
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
