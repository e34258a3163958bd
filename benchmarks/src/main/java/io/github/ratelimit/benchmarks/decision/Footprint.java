package io.github.ratelimit.benchmarks.decision;

import java.io.IOException;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Predicate;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;
import io.github.ratelimit.benchmarks.process.ChildProcess;
import io.github.ratelimit.benchmarks.process.ClassPath;
import io.github.ratelimit.benchmarks.process.Heap;
import io.github.ratelimit.benchmarks.process.ParentProcess;

/**
 * How many bytes of the heap a key takes, beyond its text and Caffeine's entry, after one
 * request. Each contender has a process to itself, where nothing else is kept.
 */
final class Footprint {

	private static final String SITUATION = "one key, after one request";

	private static final String METRIC = "bytes kept";

	/* Not so many that Caffeine would begin to count how often each is used. */
	private static final int KEYS = Policies.MAXIMUM_SIZE / 4;

	private static final String NOTHING = "NOTHING";

	private Footprint() {
	}

	static Table table() {
		return Table.ofFigures(SITUATION, METRIC)
			.goal(Goal.atMost(32), Contender.TOKEN_BUCKET.label(), Contender.LEAKY_BUCKET.label())
			.goal(Goal.atMost(40), Contender.FIXED_WINDOW_COUNTER.label(), Contender.SLIDING_WINDOW_COUNTER.label())
			.goal(Goal.atMost(72), Contender.SLIDING_WINDOW_LOG.label());
	}

	static List<Measurement> measure(Mode mode) throws IOException {
		int keys = (mode == Mode.SMOKE) ? 1000 : KEYS;
		double entry = fork(NOTHING, keys);
		List<Measurement> measurements = new ArrayList<>();
		for (Contender contender : (mode == Mode.SMOKE) ? DecisionSuite.OURS_OF_ONE
				: EnumSet.complementOf(EnumSet.of(Contender.FLOOR))) {
			double bytes = Math.rint(fork(contender.name(), keys) - entry);
			measurements.add(new Measurement(SITUATION, contender.label(), METRIC, bytes, 0, "bytes"));
		}
		return measurements;
	}

	private static double fork(String kept, int keys) throws IOException {
		try (ChildProcess process = ChildProcess.start(ClassPath.own(), List.of("-XX:+UseSerialGC"), Footprint.class,
				List.of(kept, Integer.toString(keys)))) {
			return process.await(METRIC)[0] / (double) keys;
		}
	}

	/**
	 * Measures one contender in this process.
	 * @param arguments the contender's name, or that of nothing, and the number of keys
	 */
	public static void main(String[] arguments) {
		String[] texts = Load.MANY_KEYS.keys();
		int keys = Integer.parseInt(arguments[1]);
		Predicate<String> first = decider(arguments[0]);
		first.test(texts[0]);
		long before = Heap.used();
		Predicate<String> decider = decider(arguments[0]);
		for (int i = 0; i < keys; i++) {
			decider.test(texts[i]);
		}
		ParentProcess.tell(METRIC, Heap.used() - before);
		Reference.reachabilityFence(first);
		Reference.reachabilityFence(decider);
	}

	private static Predicate<String> decider(String kept) {
		if (!kept.equals(NOTHING)) {
			return Contender.valueOf(kept).create(Load.REJECTED)::allows;
		}
		Cache<String, Boolean> cache = Caffeine.newBuilder().maximumSize(Policies.MAXIMUM_SIZE).build();
		return (key) -> cache.get(key, (absent) -> Boolean.TRUE);
	}

}
