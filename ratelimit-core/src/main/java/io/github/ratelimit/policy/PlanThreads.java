package io.github.ratelimit.policy;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.support.BackgroundThreads;

/**
 * The few threads on which the questions for the plans of one policy wait for their
 * answers. No other policy shares them, so that a database that hangs holds no request.
 */
final class PlanThreads {

	/** The number of threads. */
	static final int THREADS = 4;

	/** A client with a time-out would have given up after so many nanoseconds. */
	static final long HANGING = TimeUnit.SECONDS.toNanos(10);

	private static final int MAX_WAITING = 1024;

	/*
	 * The part of them that keys may have which no request has asked for before. A client
	 * that invents keys cannot take the others without coming again with each.
	 */
	private static final int MAX_WAITING_OF_NEW_KEYS = MAX_WAITING / 2;

	/* The part of what all policies remember that the questions of one may take. */
	private static final int PART_OF_THE_MEMORY = 8;

	private final ThreadPoolExecutor executor;

	private final RateLimitClock clock;

	private final MemoryBudget budget;

	/* The bytes of the questions that are not answered. */
	private final AtomicLong bytes = new AtomicLong();

	/* When a thread last began or ended a question. */
	private volatile long moved;

	PlanThreads(RateLimitClock clock, MemoryBudget budget) {
		this.clock = clock;
		this.budget = budget;
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(MAX_WAITING), new BackgroundThreads("ratelimit-plans"));
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * Answers a question as soon as a thread is free. What clients have sent is kept
	 * until then, however long it is.
	 * @param bytes how much the question keeps
	 * @throws RejectedExecutionException if too many questions wait, or too large ones
	 */
	void execute(long bytes, Runnable question) {
		count(bytes);
		try {
			if (this.bytes.get() > this.budget.maximum() / PART_OF_THE_MEMORY) {
				throw new RejectedExecutionException("The questions that wait take too much memory");
			}
			this.executor.execute(() -> {
				this.moved = this.clock.nanos();
				question.run();
				this.moved = this.clock.nanos();
				count(-bytes);
			});
		}
		catch (RuntimeException | Error ex) {
			count(-bytes);
			throw ex;
		}
		this.budget.trim(null);
	}

	private void count(long bytes) {
		this.bytes.addAndGet(bytes);
		this.budget.count(bytes);
	}

	/**
	 * Whether so many questions wait that no new key may ask one.
	 */
	boolean areFullForNewKeys() {
		return waiting() >= MAX_WAITING_OF_NEW_KEYS;
	}

	/**
	 * How many questions wait for a thread.
	 */
	int waiting() {
		return this.executor.getQueue().size();
	}

	/**
	 * Whether nothing more is found out, because every thread has waited for too long.
	 */
	boolean allHang(long now) {
		return this.executor.getActiveCount() == THREADS && now - this.moved >= HANGING;
	}

}
