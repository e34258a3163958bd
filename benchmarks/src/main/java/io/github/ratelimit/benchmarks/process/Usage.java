package io.github.ratelimit.benchmarks.process;

import java.lang.management.ManagementFactory;
import java.util.Arrays;

import com.sun.management.ThreadMXBean;

/**
 * What a process has used since it started.
 *
 * @param cpuNanos the time of all processors without what the compilers took, in
 * nanoseconds
 * @param allocatedBytes what the threads have allocated that are still there
 */
public record Usage(long cpuNanos, long allocatedBytes) {

	/**
	 * Reads the report of a process.
	 * @param figures the figures, in the order of this type
	 * @return the usage
	 */
	public static Usage of(long[] figures) {
		return new Usage(figures[0], figures[1]);
	}

	static Usage soFar() {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long allocated = Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
			.filter((bytes) -> bytes > 0)
			.sum();
		return new Usage(CpuTime.soFarNanos(), allocated);
	}

	long[] figures() {
		return new long[] { this.cpuNanos, this.allocatedBytes };
	}

	/**
	 * What was used since an earlier moment.
	 * @param earlier what had been used then
	 * @return the difference
	 */
	public Usage since(Usage earlier) {
		return new Usage(this.cpuNanos - earlier.cpuNanos, this.allocatedBytes - earlier.allocatedBytes);
	}

}
