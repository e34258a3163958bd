package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Something that goes wrong with a store's servers, or on the way to them.
 */
interface Fault {

	void begin();

	/**
	 * Lifts the fault: when this returns, the servers are well.
	 */
	void end();

	/**
	 * Whether no server answers that is no longer in charge, which callers cannot see.
	 */
	default boolean isOver() {
		return true;
	}

	/**
	 * How often the servers have forgotten what was taken, so far.
	 */
	default int losses() {
		return 0;
	}

	/**
	 * Makes the same fault, which is over only when something is so.
	 */
	default Fault until(BooleanSupplier over) {
		Fault fault = this;
		return new Fault() {

			@Override
			public void begin() {
				fault.begin();
			}

			@Override
			public void end() {
				fault.end();
			}

			@Override
			public boolean isOver() {
				return over.getAsBoolean();
			}

			@Override
			public int losses() {
				return fault.losses();
			}

		};
	}

	static Fault of(Runnable begin, Runnable end) {
		return losing(0, begin, end);
	}

	/**
	 * Makes a fault after which the servers know nothing of what was taken, or not
	 * everything.
	 */
	static Fault losing(int losses, Runnable begin, Runnable end) {
		return new Fault() {

			@Override
			public void begin() {
				begin.run();
			}

			@Override
			public void end() {
				end.run();
			}

			@Override
			public int losses() {
				return losses;
			}

		};
	}

	/**
	 * Makes a fault that happens again and again.
	 * @param lossesEach how often each makes the servers forget what was taken
	 */
	static Fault repeated(Duration interval, int lossesEach, Runnable each) {
		ScheduledExecutorService executor = new ScheduledThreadPoolExecutor(1);
		AtomicInteger begun = new AtomicInteger();
		return new Fault() {

			@Override
			public void begin() {
				executor.scheduleWithFixedDelay(() -> {
					begun.incrementAndGet();
					each.run();
				}, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
			}

			@Override
			public void end() {
				executor.shutdown();
				TestRedis.await(executor::isTerminated);
			}

			@Override
			public int losses() {
				return begun.get() * lossesEach;
			}

		};
	}

}
