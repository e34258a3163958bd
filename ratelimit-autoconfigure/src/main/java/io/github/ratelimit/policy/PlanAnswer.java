package io.github.ratelimit.policy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Which plan a key has, as far as it is known.
 */
final class PlanAnswer {

	/* A question without an answer is asked again soon. */
	private static final long RETRY = TimeUnit.SECONDS.toNanos(1);

	/* Longer than plans may be remembered. */
	private static final int MOST_DOUBLINGS = 17;

	/* Whether it was read since somebody looked for what to forget. */
	volatile boolean used;

	private volatile @Nullable String plan;

	/* As long as requests wait for the first answer. */
	private volatile @Nullable CountDownLatch first = new CountDownLatch(1);

	/* When it was last asked for. */
	private volatile long asked;

	/* How often it was asked for in vain before it was told. */
	private byte failures;

	private boolean told;

	private boolean begun;

	private boolean underWay;

	/**
	 * The last answer.
	 * @return the plan, or {@code null} for the policy's own limits
	 */
	@Nullable String plan() {
		return this.plan;
	}

	boolean isFresh(long now, long refresh) {
		return now - this.asked < refresh && this.first == null;
	}

	/**
	 * Whether it is for the caller to ask now. A question that hangs is not repeated.
	 */
	synchronized boolean begin(long now, long refresh) {
		if (this.underWay || this.begun && now - this.asked < refresh) {
			return false;
		}
		this.begun = true;
		this.underWay = true;
		this.asked = now;
		return true;
	}

	/**
	 * Ends what was begun.
	 * @param plan the plan, or {@code null} for the policy's own limits
	 */
	synchronized void know(@Nullable String plan) {
		this.plan = plan;
		this.told = true;
		end();
	}

	/**
	 * Ends what was begun without an answer. What was never told is asked for again
	 * sooner than what was, and later each time.
	 */
	synchronized void fail(long now, long refresh) {
		if (!this.told) {
			this.asked = now - refresh + Math.min(refresh, RETRY << this.failures);
			if (this.failures < MOST_DOUBLINGS) {
				this.failures++;
			}
		}
		end();
	}

	private void end() {
		this.underWay = false;
		proceed();
	}

	/**
	 * Ends what was begun and no thread had time for, to be asked soon.
	 */
	synchronized void postpone(long now, long refresh) {
		this.asked = now - refresh + Math.min(refresh, RETRY);
		end();
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
