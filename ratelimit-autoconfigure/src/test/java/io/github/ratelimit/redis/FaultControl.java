package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Waits for nothing, again and again, and notes how late it is woken: that much of a
 * caller's time is the machine's fault, and no store's.
 */
final class FaultControl extends Thread {

	private static final long WAIT_NANOS = 1_000_000;

	private final LongSupplier now;

	private final List<Late> late = new ArrayList<>();

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
			long end = this.now.getAsLong();
			long nanos = end - begin - WAIT_NANOS;
			if (nanos > WAIT_NANOS) {
				this.late.add(new Late(begin, end, nanos));
			}
		}
	}

	void end() {
		this.stopped = true;
	}

	/**
	 * The longest that a wait took too long, of those that overlap a time; after the end.
	 */
	long longestNanos(long from, long to) {
		return this.late.stream()
			.filter((each) -> each.end >= from && each.begin <= to)
			.mapToLong(Late::nanos)
			.max()
			.orElse(0);
	}

	private record Late(long begin, long end, long nanos) {
	}

}
