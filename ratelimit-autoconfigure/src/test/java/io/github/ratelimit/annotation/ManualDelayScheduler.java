package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.ratelimit.request.DelayScheduler;
import io.github.ratelimit.test.ManualClock;

/**
 * Lets a test's time pass: a call that sleeps moves the clock, and a task for later runs
 * when the test says so.
 */
final class ManualDelayScheduler extends DelayScheduler {

	private final List<Duration> slept = new ArrayList<>();

	private final List<Later> later = new ArrayList<>();

	private final ManualClock clock;

	boolean holdsThread = true;

	ManualDelayScheduler(ManualClock clock) {
		super(Runnable::run, false);
		this.clock = clock;
	}

	@Override
	public void sleep(long nanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		this.slept.add(Duration.ofNanos(nanos));
		this.clock.advanceNanos(nanos);
	}

	@Override
	public boolean holdsThread() {
		return this.holdsThread;
	}

	@Override
	public Runnable after(long nanos, Runnable task, Consumer<Throwable> rejected) {
		Later later = new Later(Duration.ofNanos(nanos), task, rejected);
		this.later.add(later);
		return () -> this.later.remove(later);
	}

	/**
	 * Returns how long the calls slept.
	 */
	List<Duration> slept() {
		return this.slept;
	}

	/**
	 * The calls that wait without a thread.
	 */
	List<Later> later() {
		return this.later;
	}

	record Later(Duration delay, Runnable task, Consumer<Throwable> rejected) {
	}

}
