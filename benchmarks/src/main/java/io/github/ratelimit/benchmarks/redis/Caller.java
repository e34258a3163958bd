package io.github.ratelimit.benchmarks.redis;

import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Asks, and asks again as soon as it has its answer, until its time is up.
 */
final class Caller {

	private final CompletableFuture<Tally> tally = new CompletableFuture<>();

	private final Latencies latencies = new Latencies();

	private final Contender contender;

	private final SplittableRandom random;

	private final int keys;

	private final long nanos;

	private final boolean timed;

	private long began;

	private long now;

	private long decisions;

	private long allowed;

	/**
	 * Creates a caller.
	 * @param timed whether its latencies count
	 */
	Caller(Contender contender, SplittableRandom random, int keys, long nanos, boolean timed) {
		this.contender = contender;
		this.random = random;
		this.keys = keys;
		this.nanos = nanos;
		this.timed = timed;
	}

	/**
	 * Asks on this thread, which waits for each answer.
	 */
	Tally ask() throws Exception {
		begin();
		while (!isOver()) {
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
		while (!isOver()) {
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

	private void begin() {
		this.began = System.nanoTime();
		this.now = this.began;
	}

	private boolean isOver() {
		return this.now - this.began >= this.nanos;
	}

	private int key() {
		return (this.keys > 1) ? this.random.nextInt(this.keys) : 0;
	}

	private void count(boolean answer) {
		long then = System.nanoTime();
		if (this.timed) {
			this.latencies.add(then - this.now);
		}
		this.now = then;
		this.decisions++;
		this.allowed += answer ? 1 : 0;
	}

	private Tally tally() {
		return new Tally(this.decisions, this.allowed, this.latencies, this.began, this.now);
	}

}
