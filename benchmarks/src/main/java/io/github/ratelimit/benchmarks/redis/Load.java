package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * All the callers of a situation.
 */
final class Load implements AutoCloseable {

	private final SplittableRandom random = new SplittableRandom(1);

	private final Situation situation;

	private final ExecutorService threads;

	Load(Situation situation) {
		this.situation = situation;
		this.threads = Executors.newFixedThreadPool(situation.callers());
	}

	Tally ask(Contender contender, Duration time) throws Exception {
		CyclicBarrier start = new CyclicBarrier(this.situation.callers());
		List<Caller> callers = new ArrayList<>();
		for (int i = 0; i < this.situation.callers(); i++) {
			callers.add(new Caller(contender, start, this.random.split(), this.situation.keys(), time.toNanos()));
		}
		List<Tally> tallies = new ArrayList<>();
		for (Future<Tally> caller : this.threads.invokeAll(callers)) {
			tallies.add(caller.get());
		}
		return tallies.stream().reduce(Tally::plus).orElseThrow();
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
