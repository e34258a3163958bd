package io.github.ratelimit.benchmarks.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.stream.Stream;

import io.github.ratelimit.benchmarks.measure.Curves;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * How the figures are to be read, and what must be reached.
 */
final class RedisTables {

	private static final Map<Situation, Double> LEAST_THROUGHPUT = Map.of(Situation.HOT, 1.3, Situation.HOTTEST, 2.0,
			Situation.HOT_LATER, 1.1, Situation.HOTTER_LATER, 5.0, Situation.HOTTEST_LATER, 20.0, Situation.MANY_KEYS,
			0.85, Situation.REJECTED, 0.85);

	private static final Map<Situation, Double> MAX_P99 = Map.of(Situation.HOT, 1.25, Situation.MANY_KEYS, 1.25,
			Situation.REJECTED, 1.25);

	private static final Map<Situation, Double> MAX_CPU = Map.of(Situation.ALONE, 1.4, Situation.HOT, 1.8,
			Situation.HOTTER_LATER, 0.2, Situation.MANY_KEYS, 1.8, Situation.REJECTED, 1.8);

	private RedisTables() {
	}

	static List<Table> all() {
		List<Table> tables = new ArrayList<>();
		for (Situation situation : Situation.ALL) {
			Table throughput = ratios(situation, Metric.THROUGHPUT, LEAST_THROUGHPUT, Goal::atLeast);
			if (situation == Situation.HOT) {
				throughput = throughput.goal(Goal.atLeast(0.75), Entrants.TWO_LIMITS).drawn();
			}
			if (situation == Situation.REJECTED) {
				throughput = throughput.goal(Goal.atLeast(50), Entrants.REMEMBERED).drawn();
			}
			tables.add(throughput);
			tables.add(ratios(situation, Metric.P99, MAX_P99, Goal::atMost));
			tables.add(ratios(situation, Metric.CPU, MAX_CPU, Goal::atMost));
		}
		tables.add(beside(Situation.ALONE, Metric.THROUGHPUT, Goal.atLeast(0.97)));
		tables.add(beside(Situation.ALONE, Metric.P99, Goal.atMost(1.03)));
		tables.add(beside(Situation.HOTTEST, Metric.P99, Goal.atMost(0.6)));
		tables.add(beside(Situation.MANY_KEYS, Metric.THROUGHPUT, Goal.atLeast(0.98)));
		tables.add(beside(Situation.MANY_KEYS_LATER, Metric.THROUGHPUT, Goal.atLeast(0.98)));
		tables.add(Instances.table());
		tables.add(figures(Situation.HOTTEST, Metric.SCRIPTS));
		tables.add(figures(Situation.HOTTER_LATER, Metric.SCRIPTS));
		tables.add(figures(Situation.HOT, Metric.COMMANDS));
		tables.add(figures(Situation.REJECTED, Metric.SCRIPTS_A_SECOND).goal(Goal.atMost(2), Entrants.REMEMBERED));
		return tables;
	}

	/**
	 * Decisions a second against the number of callers.
	 */
	static List<Curves> curves() {
		return List.of(curves("threads", Situation.ALONE, Situation.HOT, Situation.HOTTEST),
				curves("asynchronous callers", Situation.HOT_LATER, Situation.HOTTER_LATER, Situation.HOTTEST_LATER));
	}

	private static Curves curves(String callers, Situation... situations) {
		return new Curves("One hot key, allowed: " + Metric.THROUGHPUT.title() + " by " + callers,
				Metric.THROUGHPUT.title(),
				Stream.of(situations)
					.map((situation) -> new Curves.Place(situation.callers(), situation.title()))
					.toList(),
				List.of(Table.FLOOR, Entrants.TOKEN_BUCKET, Entrants.NOT_JOINED, Entrants.BATCHING, Entrants.REDISSON));
	}

	private static Table ratios(Situation situation, Metric metric, Map<Situation, Double> bounds,
			DoubleFunction<Goal> goal) {
		Table table = Table.ofRatios(situation.title(), metric.title());
		Double bound = bounds.get(situation);
		return (bound != null) ? table.goal(goal.apply(bound), Entrants.oneLimit(situation.budget())) : table;
	}

	/*
	 * What it costs that callers could join a call, and what they have of it.
	 */
	private static Table beside(Situation situation, Metric metric, Goal goal) {
		return Table.ofRatios(situation.title(), metric.title())
			.dividedBy(Entrants.NOT_JOINED, situation.title())
			.goal(goal, Entrants.TOKEN_BUCKET);
	}

	private static Table figures(Situation situation, Metric metric) {
		return Table.ofFigures(situation.title(), metric.title());
	}

}
