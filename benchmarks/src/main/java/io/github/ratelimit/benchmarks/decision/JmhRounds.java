package io.github.ratelimit.benchmarks.decision;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.ListStatistics;

/**
 * Runs JMH in rounds: everybody once, then everybody again, in new processes, so that a
 * machine that becomes slower meanwhile does so for all.
 */
final class JmhRounds {

	static final String TIME = "time";

	static final String ALLOCATED = "bytes allocated";

	private static final double CONFIDENCE = 0.999;

	private final Map<Key, List<Double>> samples = new LinkedHashMap<>();

	private final Mode mode;

	JmhRounds(Mode mode) {
		this.mode = mode;
	}

	/**
	 * Measures a method for some contenders.
	 */
	void run(String method, Load load, int threads, String situation, Collection<Contender> contenders)
			throws RunnerException {
		ChainedOptionsBuilder options = options().include(DecisionBenchmark.class.getName() + "." + method + "$")
			.param("load", load.name())
			.param("contender", contenders.stream().map(Contender::name).toArray(String[]::new))
			.threads(threads)
			.addProfiler(GCProfiler.class)
			.shouldFailOnError(true);
		for (RunResult result : new Runner(options.build()).run()) {
			add(situation, result);
		}
	}

	int rounds() {
		return (this.mode == Mode.FULL) ? 3 : 1;
	}

	private ChainedOptionsBuilder options() {
		return switch (this.mode) {
			case SMOKE -> times(1, TimeValue.milliseconds(10), 1, TimeValue.milliseconds(10)).forks(0)
				.verbosity(VerboseMode.SILENT);
			// many short turns: with four of them, the interval of confidence is six
			// deviations wide
			case QUICK -> times(5, TimeValue.milliseconds(500), 25, TimeValue.milliseconds(100)).forks(1);
			case FULL -> times(3, TimeValue.seconds(1), 4, TimeValue.seconds(1)).forks(1);
		};
	}

	private static ChainedOptionsBuilder times(int warmups, TimeValue warmup, int iterations, TimeValue iteration) {
		return new OptionsBuilder().warmupIterations(warmups)
			.warmupTime(warmup)
			.measurementIterations(iterations)
			.measurementTime(iteration);
	}

	private void add(String situation, RunResult run) {
		String contender = Contender.valueOf(run.getParams().getParam("contender")).label();
		for (BenchmarkResult fork : run.getBenchmarkResults()) {
			for (IterationResult iteration : fork.getIterationResults()) {
				add(new Key(situation, contender, TIME, "ns"), iteration.getPrimaryResult());
				add(new Key(situation, contender, ALLOCATED, "bytes"),
						iteration.getSecondaryResults().get("gc.alloc.rate.norm"));
			}
		}
	}

	private void add(Key key, Result<?> result) {
		this.samples.computeIfAbsent(key, (absent) -> new ArrayList<>()).add(result.getScore());
	}

	List<Measurement> measurements() {
		List<Measurement> measurements = new ArrayList<>();
		this.samples.forEach((key, values) -> {
			ListStatistics statistics = new ListStatistics(values.stream().mapToDouble(Double::doubleValue).toArray());
			boolean exact = key.metric().equals(ALLOCATED);
			double mean = exact ? Math.rint(statistics.getMean()) : statistics.getMean();
			double error = (exact || statistics.getN() < 2) ? 0 : statistics.getMeanErrorAt(CONFIDENCE);
			measurements.add(new Measurement(key.situation(), key.contender(), key.metric(), mean, error, key.unit()));
		});
		return measurements;
	}

	private record Key(String situation, String contender, String metric, String unit) {
	}

}
