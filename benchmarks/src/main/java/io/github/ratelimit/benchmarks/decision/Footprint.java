package io.github.ratelimit.benchmarks.decision;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * How many bytes of the heap a key takes, beyond its text and Caffeine's entry, after one
 * request.
 */
final class Footprint {

	private static final String SITUATION = "one key, after one request";

	private static final String METRIC = "bytes kept";

	private static final int COLLECTIONS = 5;

	private Footprint() {
	}

	static Table table() {
		return Table.ofFigures(SITUATION, METRIC)
			.goal(Goal.atMost(32), Contender.TOKEN_BUCKET.label(), Contender.LEAKY_BUCKET.label())
			.goal(Goal.atMost(40), Contender.FIXED_WINDOW_COUNTER.label(), Contender.SLIDING_WINDOW_COUNTER.label())
			.goal(Goal.atMost(48), Contender.SLIDING_WINDOW_LOG.label());
	}

	static List<Measurement> measure(Mode mode) {
		int keys = (mode == Mode.SMOKE) ? 1000 : Load.MANY_KEYS.keys().length;
		double entry = ofEntry(keys);
		List<Measurement> measurements = new ArrayList<>();
		for (Contender contender : EnumSet.complementOf(EnumSet.of(Contender.FLOOR))) {
			double bytes = Math.rint(ofContender(contender, keys) - entry);
			measurements.add(new Measurement(SITUATION, contender.label(), METRIC, bytes, 0, "bytes"));
		}
		return measurements;
	}

	private static double ofEntry(int keys) {
		long before = used();
		Cache<String, Object> cache = Caffeine.newBuilder().maximumSize(Policies.MAXIMUM_SIZE).build();
		for (String key : texts(keys)) {
			cache.put(key, Footprint.class);
		}
		return perKey(before, keys, cache);
	}

	private static double ofContender(Contender contender, int keys) {
		long before = used();
		Decider decider = contender.create(Load.MANY_KEYS);
		for (String key : texts(keys)) {
			decider.allows(key);
		}
		return perKey(before, keys, decider);
	}

	private static double perKey(long before, int keys, Object kept) {
		long after = used();
		Reference.reachabilityFence(kept);
		return (after - before) / (double) keys;
	}

	private static Iterable<String> texts(int keys) {
		return List.of(Load.MANY_KEYS.keys()).subList(0, keys);
	}

	private static long used() {
		Runtime runtime = Runtime.getRuntime();
		for (int i = 0; i < COLLECTIONS; i++) {
			System.gc();
		}
		return runtime.totalMemory() - runtime.freeMemory();
	}

}
