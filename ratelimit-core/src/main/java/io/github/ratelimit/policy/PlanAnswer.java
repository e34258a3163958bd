package io.github.ratelimit.policy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.NonBlockingThread;
import org.jspecify.annotations.Nullable;

/**
 * Which plan a key has, as far as it is known, and when it is asked for next.
 */
final class PlanAnswer {

	/** The bytes that it takes where references are not compressed, with its latch. */
	static final long BYTES = 56 + 64;

	/* A question without an answer is asked again soon. */
	private static final long RETRY = TimeUnit.SECONDS.toNanos(1);

	/* A question that hangs is not repeated. */
	private static final long UNTIL_ANSWERED = Long.MAX_VALUE;

	private static final CountDownLatch OVER = new CountDownLatch(0);

	/* Whether it was read since somebody looked for what to forget. */
	private volatile boolean used;

	/* The last answer, or null for the policy's own limits. */
	private volatile @Nullable String plan;

	/* What requests wait for. */
	private volatile CountDownLatch first = new CountDownLatch(1);

	private volatile long due = Long.MIN_VALUE;

	/* How soon it is asked for again after it was asked for in vain. */
	private long retry = RETRY;

	/**
	 * The last answer.
	 * @return the plan, or {@code null} for the policy's own limits
	 */
	@Nullable String plan() {
		return this.plan;
	}

	/**
	 * Notes that the answer was read, so that it is not the next to be forgotten.
	 */
	void markUsed() {
		if (!this.used) {
			this.used = true;
		}
	}

	boolean isUsed() {
		return this.used;
	}

	/**
	 * Withdraws what {@link #markUsed()} has noted.
	 * @return whether there was something to withdraw
	 */
	boolean clearUsed() {
		boolean cleared = this.used;
		if (cleared) {
			this.used = false;
		}
		return cleared;
	}

	boolean isFresh(long now) {
		return now < this.due && this.first == OVER;
	}

	/**
	 * Begins to ask, if it is time and nobody else does.
	 * @return whether it is for the caller to ask now
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
	 * @param due when it is to be asked for again
	 */
	synchronized void complete(@Nullable String plan, long due) {
		this.plan = plan;
		this.retry = Long.MAX_VALUE;
		end(due);
	}

	/**
	 * Ends what was begun without an answer. A plan that was never found out is asked for
	 * again sooner than one that was, and later each time.
	 */
	synchronized void fail(long now, long refresh) {
		end(now + Math.min(refresh, this.retry));
		if (this.retry < refresh) {
			this.retry = 2 * this.retry;
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
	 * Waits for the first answer, where a thread may. Once one request has waited for
	 * long enough, all have.
	 */
	void await(long nanos) {
		try {
			if (!NonBlockingThread.isCurrent() && !this.first.await(nanos, TimeUnit.NANOSECONDS)) {
				proceed();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void proceed() {
		this.first.countDown();
		this.first = OVER;
	}

}
