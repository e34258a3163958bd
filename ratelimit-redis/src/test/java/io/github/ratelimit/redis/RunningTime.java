package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock that hardly goes on while the machine keeps this process from running, for
 * tests that something is not slow. It is late by some milliseconds, and never early.
 */
final class RunningTime {

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/* Who comes later was held up. */
	private static final long MAX_NANOS = 4 * PAUSE_NANOS;

	private static volatile long nanos;

	static {
		Thread thread = new Thread(RunningTime::run, "running-time");
		thread.setDaemon(true);
		thread.start();
	}

	private RunningTime() {
	}

	private static void run() {
		long last = System.nanoTime();
		while (true) {
			LockSupport.parkNanos(PAUSE_NANOS);
			long now = System.nanoTime();
			nanos += Math.min(now - last, MAX_NANOS);
			last = now;
		}
	}

	static long nanos() {
		return nanos;
	}

	static Duration since(long begin) {
		return Duration.ofNanos(nanos - begin);
	}

}
