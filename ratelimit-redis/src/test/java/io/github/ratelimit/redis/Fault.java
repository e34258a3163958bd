package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Something that goes wrong with a store's servers, or on the way to them.
 *
 * @param begin makes it go wrong
 * @param end lifts the fault: when this returns, the servers are well
 * @param isOver whether no server answers that is no longer in charge, which callers
 * cannot see
 * @param losses how often the servers have forgotten what was taken, so far
 */
record Fault(Runnable begin, Runnable end, BooleanSupplier isOver, IntSupplier losses) {

	static Fault of(Runnable begin, Runnable end) {
		return losing(0, begin, end);
	}

	/**
	 * Makes a fault after which the servers know nothing of what was taken, or not
	 * everything.
	 */
	static Fault losing(int losses, Runnable begin, Runnable end) {
		return new Fault(begin, end, () -> true, () -> losses);
	}

	/**
	 * Makes a fault that happens again and again.
	 * @param lossesEach how often each makes the servers forget what was taken
	 */
	static Fault repeated(Duration interval, int lossesEach, Runnable each) {
		ScheduledExecutorService executor = new ScheduledThreadPoolExecutor(1);
		AtomicInteger begun = new AtomicInteger();
		return new Fault(() -> executor.scheduleWithFixedDelay(() -> {
			begun.incrementAndGet();
			each.run();
		}, 0, interval.toNanos(), TimeUnit.NANOSECONDS), () -> {
			executor.shutdown();
			TestRedis.await(executor::isTerminated);
		}, () -> true, () -> begun.get() * lossesEach);
	}

	/**
	 * Makes the same fault, which is over only when something is so.
	 */
	Fault until(BooleanSupplier over) {
		return new Fault(this.begin, this.end, over, this.losses);
	}

}
