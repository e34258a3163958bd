package io.github.ratelimit.benchmarks.redis;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * How the figures are to be read, and what must be reached.
 */
final class RedisTables {

	/* The number of callers that the goals were set for. */
	private static final int GOALS_FOR = 16;

	private RedisTables() {
	}

	static List<Table> all() {
		List<Table> tables = new ArrayList<>();
		for (Situation situation : Situation.ALL) {
			Table throughput = ratios(situation, Metric.THROUGHPUT);
			Table p99 = ratios(situation, Metric.P99);
			Table cpu = ratios(situation, Metric.CPU);
			if (situation.callers() == GOALS_FOR) {
				throughput = throughput.goal(Goal.atLeast(0.85), Entrants.oneLimit())
					.goal(Goal.atLeast(0.75), Entrants.TWO_LIMITS)
					.drawn();
				p99 = p99.goal(Goal.atMost(1.25), Entrants.oneLimit());
				cpu = cpu.goal(Goal.atMost(1.8), Entrants.oneLimit());
			}
			tables.add(situation.allowed() ? throughput : throughput.goal(Goal.atLeast(50), Entrants.REMEMBERED));
			tables.add(p99);
			tables.add(cpu);
		}
		tables.add(contention(Situation.HOT, 15));
		tables.add(contention(Situation.HOTTEST, 50));
		tables.add(figures(Situation.HOT, Metric.SCRIPTS));
		tables.add(figures(Situation.HOTTEST, Metric.SCRIPTS));
		tables.add(figures(Situation.HOT, Metric.COMMANDS));
		tables.add(figures(Situation.REJECTED, Metric.SCRIPTS_A_SECOND).goal(Goal.atMost(2), Entrants.REMEMBERED));
		return tables;
	}

	private static Table ratios(Situation situation, Metric metric) {
		return Table.ofRatios(situation.title(), metric.title());
	}

	private static Table figures(Situation situation, Metric metric) {
		return Table.ofFigures(situation.title(), metric.title());
	}

	private static Table contention(Situation situation, double ratio) {
		return ratios(situation, Metric.THROUGHPUT).dividedBy(Entrants.BUCKET4J, situation.title())
			.goal(Goal.atLeast(ratio), Entrants.oneLimit());
	}

}
