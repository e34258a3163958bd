package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * All the callers of a situation.
 */
final class Load implements AutoCloseable {

	/*
	 * The counts of a thousand callers fit into no cache, and to read the clock for each
	 * decision that is made together with many others costs an eighth of it.
	 */
	private static final int CALLERS_FOR_ONE_TIMED = 16;

	private final SplittableRandom random = new SplittableRandom(1);

	private final Situation situation;

	private final ExecutorService threads;

	Load(Situation situation) {
		this.situation = situation;
		this.threads = Executors.newFixedThreadPool(situation.callers());
	}

	Tally ask(Contender contender, Duration time) throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		List<Caller> callers = IntStream.range(0, this.situation.callers())
			.mapToObj((i) -> new Caller(contender, this.random.split(), this.situation.keys(), over,
					this.situation.threads() || i % CALLERS_FOR_ONE_TIMED == 0))
			.toList();
		CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS).execute(() -> over.set(true));
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
