package io.github.ratelimit.benchmarks.redis;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;

import io.github.ratelimit.benchmarks.measure.Estimate;
import io.github.ratelimit.benchmarks.measure.Measurement;

/**
 * What is measured in each round.
 */
enum Metric {

	THROUGHPUT("decisions a second", "/s", (round) -> round.tally().decisions() / round.tally().seconds()),

	P99("p99", "µs", (round) -> round.tally().latencies().quantile(0.99) / 1000),

	CPU("Redis CPU per decision", "µs", (round) -> round.counters().cpuMicros() / round.tally().decisions()),

	SCRIPTS("scripts called per decision", "",
			(round) -> (double) round.counters().scripts() / round.tally().decisions()),

	COMMANDS("commands run per decision", "",
			(round) -> (double) round.counters().commands() / round.tally().decisions()),

	SCRIPTS_A_SECOND("scripts called a second", "/s", (round) -> round.counters().scripts() / round.tally().seconds());

	/**
	 * What turns of less than a second can show.
	 */
	static final Set<Metric> OF_SHORT_TURNS = EnumSet.range(THROUGHPUT, COMMANDS);

	private final String title;

	private final String unit;

	private final ToDoubleFunction<Round> figure;

	Metric(String title, String unit, ToDoubleFunction<Round> figure) {
		this.title = title;
		this.unit = unit;
		this.figure = figure;
	}

	String title() {
		return this.title;
	}

	Measurement of(Situation situation, String contender, List<Round> rounds) {
		return Estimate.of(rounds.stream().mapToDouble(this.figure).toArray())
			.as(situation.title(), contender, this.title, this.unit);
	}

}
