package io.github.ratelimit.benchmarks.redis;

import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * Asks, and asks again as soon as it has its answer, until its time is up: once at least,
 * so that whatever a first question costs is paid in the lead-in.
 */
final class Caller {

	private final CompletableFuture<Tally> tally = new CompletableFuture<>();

	private final Latencies latencies = new Latencies();

	private final Contender contender;

	private final SplittableRandom random;

	private final int keys;

	private final AtomicBoolean over;

	private final boolean timed;

	private long began;

	private long now;

	private long decisions;

	private long allowed;

	/**
	 * Creates a caller.
	 * @param over set when the time is up
	 * @param timed whether its latencies count
	 */
	Caller(Contender contender, SplittableRandom random, int keys, AtomicBoolean over, boolean timed) {
		this.contender = contender;
		this.random = random;
		this.keys = keys;
		this.over = over;
		this.timed = timed;
	}

	/**
	 * Asks on this thread, which waits for each answer.
	 */
	Tally ask() throws Exception {
		begin();
		while (goesOn()) {
			count(this.contender.decide(key()));
		}
		return tally();
	}

	/**
	 * Asks without waiting: whichever thread brings an answer asks again.
	 */
	CompletableFuture<Tally> askLater() {
		begin();
		proceed();
		return this.tally;
	}

	private void proceed() {
		while (goesOn()) {
			CompletableFuture<?> answer = this.contender.decideLater(key());
			if (!answer.isDone()) {
				answer.whenComplete(this::answered);
				return;
			}
			count(this.contender.isAllowed(answer.join()));
		}
		this.tally.complete(tally());
	}

	private void answered(Object answer, @Nullable Throwable failure) {
		try {
			if (failure != null) {
				throw new IllegalStateException(failure);
			}
			count(this.contender.isAllowed(answer));
			proceed();
		}
		catch (RuntimeException ex) {
			this.tally.completeExceptionally(ex);
		}
	}

	private boolean goesOn() {
		return this.decisions == 0 || !this.over.get();
	}

	private void begin() {
		this.began = System.nanoTime();
		this.now = this.began;
	}

	private int key() {
		return (this.keys > 1) ? this.random.nextInt(this.keys) : 0;
	}

	private void count(boolean answer) {
		if (this.timed) {
			long then = System.nanoTime();
			this.latencies.add(then - this.now);
			this.now = then;
		}
		this.decisions++;
		this.allowed += answer ? 1 : 0;
	}

	private Tally tally() {
		return new Tally(this.decisions, this.allowed, this.latencies, this.began, System.nanoTime());
	}

}
