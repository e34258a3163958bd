package io.github.ratelimit.policy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Which plan a key has, as far as it is known, and when it is asked for next.
 */
final class PlanAnswer {

	/* A question without an answer is asked again soon. */
	private static final long RETRY = TimeUnit.SECONDS.toNanos(1);

	/* Longer than plans may be remembered. */
	private static final int MOST_DOUBLINGS = 17;

	private static final int TOLD = -1;

	/* A question that hangs is not repeated. */
	private static final long UNTIL_ANSWERED = Long.MAX_VALUE;

	/* Whether it was read since somebody looked for what to forget. */
	volatile boolean used;

	private volatile @Nullable String plan;

	/* As long as requests wait for the first answer. */
	private volatile @Nullable CountDownLatch first = new CountDownLatch(1);

	private volatile long due = Long.MIN_VALUE;

	/* How often it was asked for in vain before it was told. */
	private byte failures;

	/**
	 * The last answer.
	 * @return the plan, or {@code null} for the policy's own limits
	 */
	@Nullable String plan() {
		return this.plan;
	}

	boolean isFresh(long now) {
		return now < this.due && this.first == null;
	}

	/**
	 * Whether it is for the caller to ask now.
	 */
	synchronized boolean begin(long now) {
		if (now < this.due) {
			return false;
		}
		this.due = UNTIL_ANSWERED;
		return true;
	}

	/**
	 * Ends what was begun.
	 * @param plan the plan, or {@code null} for the policy's own limits
	 */
	synchronized void know(@Nullable String plan, long due) {
		this.plan = plan;
		this.failures = TOLD;
		end(due);
	}

	/**
	 * Ends what was begun without an answer. What was never told is asked for again
	 * sooner than what was, and later each time.
	 */
	synchronized void fail(long now, long refresh) {
		boolean told = this.failures == TOLD;
		end(now + (told ? refresh : Math.min(refresh, RETRY << this.failures)));
		if (!told && this.failures < MOST_DOUBLINGS) {
			this.failures++;
		}
	}

	/**
	 * Ends what was begun and no thread had time for, to be asked soon.
	 */
	synchronized void postpone(long now, long refresh) {
		end(now + Math.min(refresh, RETRY));
	}

	private void end(long due) {
		this.due = due;
		proceed();
	}

	/**
	 * Waits for the first answer. Once one request has waited for long enough, all have.
	 */
	void await(long nanos) {
		CountDownLatch first = this.first;
		try {
			if (first != null && !first.await(nanos, TimeUnit.NANOSECONDS)) {
				proceed();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void proceed() {
		CountDownLatch first = this.first;
		if (first != null) {
			this.first = null;
			first.countDown();
		}
	}

}
