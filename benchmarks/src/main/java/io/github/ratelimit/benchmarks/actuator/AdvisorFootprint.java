package io.github.ratelimit.benchmarks.actuator;

import java.io.IOException;
import java.lang.ref.Reference;
import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;
import io.github.ratelimit.benchmarks.process.ChildProcess;
import io.github.ratelimit.benchmarks.process.ClassPath;
import io.github.ratelimit.benchmarks.process.Heap;
import io.github.ratelimit.benchmarks.process.ParentProcess;

/**
 * How many bytes of the heap the advisor keeps for a policy, in a process where nothing
 * else is kept.
 */
public final class AdvisorFootprint {

	private static final String SITUATION = "the advisor, one policy";

	private static final String METRIC = "heap kept";

	private static final String CONTENDER = "10 M callers";

	private AdvisorFootprint() {
	}

	static Table table() {
		return Table.ofFigures(SITUATION, METRIC).goal(Goal.atMost(2), CONTENDER);
	}

	static Measurement measure(Mode mode) throws IOException {
		int callers = (mode == Mode.SMOKE) ? 10_000 : 10_000_000;
		try (ChildProcess process = ChildProcess.start(ClassPath.own(), List.of("-XX:+UseSerialGC"),
				AdvisorFootprint.class, List.of(Integer.toString(callers)))) {
			double bytes = process.await(METRIC)[0];
			return new Measurement(SITUATION, CONTENDER, METRIC, bytes / (1 << 20), 0, "MiB");
		}
	}

	/**
	 * Measures in this process.
	 * @param arguments the number of callers
	 */
	public static void main(String[] arguments) {
		Object first = observe(1);
		long before = Heap.used();
		Object kept = observe(Integer.parseInt(arguments[0]));
		ParentProcess.tell(METRIC, Heap.used() - before);
		Reference.reachabilityFence(first);
		Reference.reachabilityFence(kept);
	}

	/*
	 * Everybody comes, and the same few come again and again.
	 */
	private static Object observe(int callers) {
		ObservedTraffic observed = new ObservedTraffic(Observer.POLICY, RateLimitClock.system());
		for (int i = 0; i < callers; i++) {
			String key = "somebody-with-a-long-name-" + i;
			observed.observe(key, 1);
			observed.observe("caller-" + i % 1000, 1);
		}
		observed.advice();
		return observed;
	}

}
