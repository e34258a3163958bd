package io.github.ratelimit;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * How many lines the log may have of what a client can cause any number of times: three
 * in any minute. The next line then says how many there were beside them.
 *
 * @since 0.1.0
 */
public final class LogBudget {

	/** How many lines there are in a minute. */
	public static final int MAX_A_MINUTE = 3;

	private static final long MINUTE = Duration.ofMinutes(1).toNanos();

	private final RateLimitClock clock;

	/* When the last lines were written, in turn. */
	private final long[] written = new long[MAX_A_MINUTE];

	private int oldest;

	private long left;

	/**
	 * Creates a budget for one kind of lines.
	 * @param clock tells the time
	 */
	public LogBudget(RateLimitClock clock) {
		this.clock = clock;
		Arrays.fill(this.written, clock.nanos() - MINUTE);
	}

	/**
	 * Takes a line, if there is one.
	 * @return whether to write it
	 */
	public synchronized boolean take() {
		long now = this.clock.nanos();
		if (now - this.written[this.oldest] < MINUTE) {
			return false;
		}

		this.written[this.oldest] = now;
		this.oldest = (this.oldest + 1) % MAX_A_MINUTE;
		return true;
	}

	/**
	 * Notes something that has no line.
	 */
	public synchronized void leaveOut() {
		this.left++;
	}

	/**
	 * Says at the end of a line what has none, and forgets it.
	 * @param what the singular of what is logged, such as {@code outage}
	 * @return a sentence after a full stop, or an empty text if nothing was left out
	 */
	public synchronized String leftOut(String what) {
		long left = this.left;
		this.left = 0;
		if (left == 0) {
			return "";
		}
		if (left == 1) {
			return ". There was 1 more " + what + " that was not logged";
		}
		return String.format(Locale.ROOT, ". There were %,d more %ss that were not logged", left, what);
	}

}
