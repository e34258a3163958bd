package io.github.ratelimit.benchmarks.decision;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.github.ratelimit.benchmarks.measure.Estimate;
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

/**
 * Runs JMH in rounds of short forks: every contender once, then every contender again, so
 * that a machine that becomes slower meanwhile does so for all, and no figure depends on
 * how one process happened to compile its code.
 */
final class JmhRounds {

	static final String TIME = "time";

	static final String ALLOCATED = "bytes allocated";

	/*
	 * As of a process that runs for longer: a short one that allocates would measure how
	 * the system gives it memory for the first time.
	 */
	private static final String[] HEAP = { "-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch" };

	private final Map<Key, List<double[]>> forks = new LinkedHashMap<>();

	private final Mode mode;

	JmhRounds(Mode mode) {
		this.mode = mode;
	}

	/**
	 * Measures a method for some contenders.
	 */
	void run(String method, Load load, int threads, String situation, Collection<Contender> contenders)
			throws RunnerException {
		run(method, load, threads, situation, contenders, false);
	}

	/**
	 * Measures a method for some contenders, in processes that have run all of them.
	 */
	void runAfterAll(String method, Load load, String situation, Collection<Contender> contenders)
			throws RunnerException {
		run(method, load, 1, situation, contenders, true);
	}

	private void run(String method, Load load, int threads, String situation, Collection<Contender> contenders,
			boolean afterAll) throws RunnerException {
		ChainedOptionsBuilder options = options().include(DecisionBenchmark.class.getName() + "." + method + "$")
			.param("load", load.name())
			.param("contender", contenders.stream().map(Contender::name).toArray(String[]::new))
			.param("afterAll", String.valueOf(afterAll))
			.threads(threads)
			.addProfiler(GCProfiler.class)
			.shouldFailOnError(true);
		for (RunResult result : new Runner(options.build()).run()) {
			add(situation, result);
		}
	}

	int rounds() {
		return switch (this.mode) {
			case SMOKE -> 1;
			case QUICK -> 4;
			case FULL -> 6;
		};
	}

	private ChainedOptionsBuilder options() {
		return switch (this.mode) {
			case SMOKE -> times(1, TimeValue.milliseconds(10), 1, TimeValue.milliseconds(10)).forks(0)
				.verbosity(VerboseMode.SILENT);
			case QUICK, FULL ->
				times(3, TimeValue.milliseconds(300), 4, TimeValue.milliseconds(300)).forks(1).jvmArgsAppend(HEAP);
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
			Collection<IterationResult> iterations = fork.getIterationResults();
			add(new Key(situation, contender, TIME, "ns"), iterations, IterationResult::getPrimaryResult);
			add(new Key(situation, contender, ALLOCATED, "bytes"), iterations,
					(iteration) -> iteration.getSecondaryResults().get("gc.alloc.rate.norm"));
		}
	}

	private void add(Key key, Collection<IterationResult> iterations, Function<IterationResult, Result<?>> result) {
		this.forks.computeIfAbsent(key, (absent) -> new ArrayList<>())
			.add(iterations.stream().map(result).mapToDouble(Result::getScore).toArray());
	}

	List<Measurement> measurements() {
		List<Measurement> measurements = new ArrayList<>();
		this.forks.forEach((key, forks) -> {
			Estimate estimate = Estimate.lowerQuartile(forks);
			if (key.metric().equals(ALLOCATED)) {
				estimate = new Estimate(Math.rint(estimate.value()), 0);
			}
			measurements.add(estimate.as(key.situation(), key.contender(), key.metric(), key.unit()));
		});
		return measurements;
	}

	private record Key(String situation, String contender, String metric, String unit) {
	}

}
