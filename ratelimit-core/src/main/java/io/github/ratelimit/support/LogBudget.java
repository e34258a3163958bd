package io.github.ratelimit.support;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Bounds how many lines the log has of something that a client can cause any number of
 * times: three in any minute. The next line then says how many were left out.
 *
 * @since 0.1.0
 */
public final class LogBudget {

	/** The number of lines that may be written in a minute. */
	public static final int MAX_A_MINUTE = 3;

	private static final long MINUTE = Duration.ofMinutes(1).toNanos();

	private final LongSupplier nanos;

	/* When the last lines were written, in turn. */
	private final long[] written = new long[MAX_A_MINUTE];

	private int oldest;

	private long leftOut;

	/**
	 * Creates a budget for one kind of lines.
	 * @param nanos gives the time in nanoseconds, from any beginning
	 */
	public LogBudget(LongSupplier nanos) {
		this.nanos = nanos;
		Arrays.fill(this.written, nanos.getAsLong() - MINUTE);
	}

	/**
	 * Takes a line from the budget, if one is left.
	 * @return {@code true} if the line is to be written
	 */
	public synchronized boolean take() {
		long now = this.nanos.getAsLong();
		if (now - this.written[this.oldest] < MINUTE) {
			return false;
		}

		this.written[this.oldest] = now;
		this.oldest = (this.oldest + 1) % MAX_A_MINUTE;
		return true;
	}

	/**
	 * Notes something for which no line was left.
	 */
	public synchronized void leaveOut() {
		this.leftOut++;
	}

	/**
	 * Completes a line with the number of those that were left out, which begins anew.
	 * @param what the singular of what is logged, such as {@code outage}
	 * @return a sentence after a full stop, or an empty text if nothing was left out
	 */
	public synchronized String leftOut(String what) {
		long left = this.leftOut;
		this.leftOut = 0;
		if (left == 0) {
			return "";
		}
		if (left == 1) {
			return ". There was 1 more " + what + " that was not logged";
		}
		return String.format(Locale.ROOT, ". There were %,d more %ss that were not logged", left, what);
	}

}
