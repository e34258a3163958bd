package io.github.ratelimit.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

import io.github.ratelimit.RateLimitClock;

/**
 * The time for which the processor has worked for the current thread, so that nothing is
 * given up because other threads are busy.
 */
final class ProcessorTime {

	private ProcessorTime() {
	}

	/**
	 * A stopwatch for the current thread.
	 * @return the processor's time, or the system's where it is not known, as for virtual
	 * threads
	 */
	static RateLimitClock ofThisThread() {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		try {
			if (threads.getCurrentThreadCpuTime() >= 0) {
				return threads::getCurrentThreadCpuTime;
			}
		}
		catch (UnsupportedOperationException ex) {
			// below
		}
		return RateLimitClock.system();
	}

}
