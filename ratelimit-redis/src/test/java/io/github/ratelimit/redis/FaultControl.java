package io.github.ratelimit.redis;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Waits for nothing, and works a little, again and again, and notes how much longer it
 * takes than it should: that much of a caller's time is the machine's fault, and no
 * store's.
 */
final class FaultControl extends Thread {

	private static final long WAIT_NANOS = 3_000_000;

	private static final long WORK_NANOS = 300_000;

	private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

	private final LongSupplier now;

	private volatile long longest;

	private volatile boolean stopped;

	FaultControl(LongSupplier now) {
		super("control");
		this.now = now;
		setDaemon(true);
	}

	@Override
	public void run() {
		while (!this.stopped) {
			long begin = this.now.getAsLong();
			LockSupport.parkNanos(WAIT_NANOS);
			long woken = this.now.getAsLong();
			note(begin, woken, WAIT_NANOS);
			note(woken, work(), WORK_NANOS);
		}
	}

	/*
	 * A thread that holds a lock may have to wait for a processor in the midst of it.
	 */
	private long work() {
		long end = this.threads.getCurrentThreadCpuTime() + WORK_NANOS;
		while (this.threads.getCurrentThreadCpuTime() < end) {
			Thread.onSpinWait();
		}
		return this.now.getAsLong();
	}

	private void note(long begin, long end, long expected) {
		long nanos = end - begin - expected;
		this.longest = Math.max(this.longest, nanos);
	}

	void end() {
		this.stopped = true;
	}

	/**
	 * The longest that a wait or some work took too long; after the end.
	 */
	long longestNanos() {
		return this.longest;
	}

}
