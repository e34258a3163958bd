package io.github.ratelimit.benchmarks.redis;

import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;

/**
 * Asks, and asks again as soon as it has its answer, until its time is up.
 */
final class Caller implements Callable<Tally> {

	private final Contender contender;

	private final CyclicBarrier start;

	private final SplittableRandom random;

	private final int keys;

	private final long nanos;

	Caller(Contender contender, CyclicBarrier start, SplittableRandom random, int keys, long nanos) {
		this.contender = contender;
		this.start = start;
		this.random = random;
		this.keys = keys;
		this.nanos = nanos;
	}

	@Override
	public Tally call() throws Exception {
		Latencies latencies = new Latencies();
		long decisions = 0;
		long allowed = 0;
		this.start.await();
		long began = System.nanoTime();
		long now = began;
		while (now - began < this.nanos) {
			int key = (this.keys > 1) ? this.random.nextInt(this.keys) : 0;
			allowed += this.contender.decide(key) ? 1 : 0;
			decisions++;
			long then = System.nanoTime();
			latencies.add(then - now);
			now = then;
		}
		return new Tally(decisions, allowed, latencies, began, now);
	}

}
