package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * Several instances of this library, each with a connection of its own, that have one
 * budget for one key and use it up at once.
 */
record Instances(List<Ours> instances) implements Contender {

	private static final String SITUATION = "one hot key, three instances";

	private static final String METRIC = "permits given, more or fewer than the limit's";

	private static final int NUMBER = 3;

	/* The callers choose an instance, as others do a key. */
	private static final Situation CALLERS = new Situation(NUMBER, 64 * NUMBER, false, Budget.SHARED);

	static Table table() {
		return Table.ofFigures(SITUATION, METRIC).goal(Goal.atMost(0), Entrants.oneLimit(Budget.SHARED));
	}

	/**
	 * Uses up a limit's budget, and counts what was given.
	 */
	static Measurement measure(ServerAccess redis, RateLimitAlgorithm algorithm, Duration turn) throws Exception {
		Task task = CALLERS.task(redis);
		long limit = Ours.limit(algorithm, task.budget()).capacity();
		redis.clear();
		try (Instances instances = new Instances(
				Stream.generate(() -> new Ours(task, Duration.ZERO, algorithm)).limit(NUMBER).toList());
				Load load = new Load(CALLERS)) {
			long given = 0;
			for (long more = 1; more > 0; given += more) {
				more = load.ask(instances, turn).allowed();
			}
			return new Measurement(SITUATION, Entrants.name(algorithm), METRIC, Math.abs(given - limit), 0, "");
		}
	}

	@Override
	public boolean decide(int instance) {
		return this.instances.get(instance).decide(0);
	}

	@Override
	public CompletableFuture<?> decideLater(int instance) {
		return this.instances.get(instance).decideLater(0);
	}

	@Override
	public boolean isAllowed(Object answer) {
		return this.instances.get(0).isAllowed(answer);
	}

	@Override
	public void close() {
		this.instances.forEach(Ours::close);
	}

}
