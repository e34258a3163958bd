package io.github.ratelimit.redis;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Looks what callers are doing who should have been answered.
 */
final class FaultWatch extends Thread {

	private static final long INTERVAL_NANOS = 10_000_000;

	private static final int FRAMES = 30;

	private static final int MOST = 10;

	private final List<FaultCaller> callers;

	private final long mostNanos;

	private final LongSupplier now;

	private final Set<String> seen = new LinkedHashSet<>();

	private volatile boolean stopped;

	FaultWatch(List<FaultCaller> callers, long mostNanos, LongSupplier now) {
		super("watch");
		this.callers = callers;
		this.mostNanos = mostNanos;
		this.now = now;
		setDaemon(true);
	}

	@Override
	public void run() {
		while (!this.stopped) {
			for (FaultCaller caller : this.callers) {
				if (caller.askedFor(this.now.getAsLong()) > this.mostNanos && this.seen.size() < MOST) {
					this.seen.add(Arrays.stream(caller.getStackTrace())
						.limit(FRAMES)
						.map(StackTraceElement::toString)
						.collect(Collectors.joining("\n\t")));
				}
			}
			LockSupport.parkNanos(INTERVAL_NANOS);
		}
	}

	void end() {
		this.stopped = true;
	}

	/**
	 * What callers were doing, after the end.
	 */
	Set<String> seen() {
		return this.seen;
	}

}
