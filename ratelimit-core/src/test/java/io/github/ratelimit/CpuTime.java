package io.github.ratelimit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an action takes of its own thread, however busy the machine is. Compares texts of
 * one length: a time that grows with the square of it is thousands of times that of a
 * plain text.
 */
public final class CpuTime {

	/** How long the texts are. */
	public static final int LENGTH = 40_000;

	private static final int MOST = 200;

	private static final long LEAST = TimeUnit.MILLISECONDS.toNanos(1);

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private CpuTime() {
	}

	/**
	 * Asserts that a text takes about as long as a plain one.
	 * @param hostile the text
	 * @param action what is done with it
	 */
	public static void assertLinear(String hostile, Consumer<String> action) {
		String text = hostile.repeat(LENGTH / hostile.length() + 1).substring(0, LENGTH);
		long plain = Math.max(LEAST, of("a".repeat(LENGTH), action));
		assertThat(of(text, action))
			.as("%s... in ns", hostile.codePoints().limit(4).mapToObj(Integer::toHexString).toList())
			.isLessThan(MOST * plain);
	}

	/* The shortest of a few, because the first ones are not compiled yet. */
	private static long of(String text, Consumer<String> action) {
		long shortest = Long.MAX_VALUE;
		for (int i = 0; i < 3; i++) {
			long begin = THREADS.getCurrentThreadCpuTime();
			action.accept(text);
			shortest = Math.min(shortest, THREADS.getCurrentThreadCpuTime() - begin);
		}
		return shortest;
	}

}
