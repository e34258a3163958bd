package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

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
		List<Caller> callers = Stream
			.generate(() -> new Caller(contender, this.random.split(), this.situation.keys(), time.toNanos()))
			.limit(this.situation.callers())
			.toList();
		List<Tally> tallies = new ArrayList<>();
		for (Future<Tally> caller : this.situation.threads() ? inThreads(callers) : later(callers)) {
			tallies.add(caller.get());
		}
		return tallies.stream().reduce(Tally::plus).orElseThrow();
	}

	private List<Future<Tally>> inThreads(List<Caller> callers) {
		CyclicBarrier start = new CyclicBarrier(callers.size());
		return callers.stream().map((caller) -> this.threads.submit(() -> {
			start.await();
			return caller.ask();
		})).toList();
	}

	private static List<Future<Tally>> later(List<Caller> callers) {
		return callers.stream().<Future<Tally>>map(Caller::askLater).toList();
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
