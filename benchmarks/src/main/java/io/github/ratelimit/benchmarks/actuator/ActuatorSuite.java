package io.github.ratelimit.benchmarks.actuator;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * What the actuator adds: the page, the advisor, and the endpoint's answers.
 */
public final class ActuatorSuite implements Suite {

	@Override
	public String name() {
		return "actuator";
	}

	@Override
	public String description() {
		return """
				The page, the advisor and the endpoint

				The page is all files that a browser loads for it, also those for the playground.

				The advisor observes three traces, each from a seed: 10 million callers within an hour, of whom few make most
				requests (Zipf); 300,000 visitors in the course of a day, whose pages come in bursts; and a day of 1 million
				callers, one in 40 of whom tries again at once. The mode `quick` has fewer callers. What is said of each rate and
				burst is compared with exact token buckets of every caller. Other callers are sampled each time, so that each
				trace is observed several times: a figure is the median of the largest errors, and its own error half their
				spread. Errors in the share of requests count if they are above 0.2 points, and are relative to the share. What
				observing costs a decision is measured above, with decisions.

				The endpoint is that of an application in a process of its own, with 50 policies and 100,000 keys, half of which
				belong to the policy that is asked about, and the advisor turned on. One client sends one request at a time over
				a connection that is kept alive, and requests take turns. A figure is the median of all turns, and its error half
				the median's 99.9 % confidence interval. The list has the findings, too. The simulation is as large as it may be:
				10,000 requests and five limits.
				""";
	}

	@Override
	public List<Table> tables() {
		List<Table> tables = new ArrayList<>(PageWeight.tables());
		tables.addAll(AdviceAccuracy.tables());
		tables.add(AdvisorFootprint.table());
		tables.addAll(AnswerTimes.tables());
		return tables;
	}

	@Override
	public List<Measurement> run(Mode mode) throws IOException {
		List<Measurement> figures = new ArrayList<>(PageWeight.measure());
		figures.addAll(AdviceAccuracy.measure(mode));
		figures.add(AdvisorFootprint.measure(mode));
		figures.addAll(AnswerTimes.measure(mode));
		return figures;
	}

}
