package io.github.ratelimit.benchmarks.redis;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.benchmarks.measure.Curves;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Everybody still runs, and decides as they should.
 */
@Tag("slow")
class RedisSuiteTests {

	private static final RedisSuite SUITE = new RedisSuite();

	private static List<Measurement> measurements;

	@BeforeAll
	static void run() throws Exception {
		measurements = SUITE.run(Mode.SMOKE);
	}

	private static Stream<Measurement> figures(Metric metric) {
		return measurements.stream().filter((measured) -> measured.metric().equals(metric.title()));
	}

	@Test
	void everybodyHasFiguresInEverySituation() {
		for (Situation situation : Situation.ALL) {
			Set<String> names = Entrants.of(situation).stream().map(Entrant::name).collect(Collectors.toSet());
			for (Metric metric : Metric.OF_SHORT_TURNS) {
				assertThat(figures(metric).filter((measured) -> measured.situation().equals(situation.title())))
					.as(situation.title() + ": " + metric)
					.extracting(Measurement::contender)
					.containsExactlyInAnyOrderElementsOf(names);
			}
		}
		assertThat(figures(Metric.THROUGHPUT)).allMatch((measured) -> measured.value() > 0);
		assertThat(figures(Metric.P99)).allMatch((measured) -> measured.value() > 0);
	}

	@Test
	void ourDecisionIsOneScriptCallWhereNobodyJoins() {
		Stream<Measurement> alone = Situation.ALL.stream()
			.flatMap((situation) -> figures(Metric.SCRIPTS)
				.filter((measured) -> measured.situation().equals(situation.title())
						&& (measured.contender().equals(Entrants.NOT_JOINED) || situation == Situation.ALONE
								&& List.of(Entrants.oneLimit(Budget.PLENTY)).contains(measured.contender()))));
		assertThat(alone).hasSize(Situation.ALL.size() + Entrants.oneLimit(Budget.PLENTY).length)
			.allMatch((measured) -> measured.value() == 1);
	}

	@Test
	void threeInstancesGiveExactlyTheLimit() {
		assertThat(measurements).filteredOn((measured) -> measured.situation().equals(Instances.table().situation()))
			.hasSize(Entrants.oneLimit(Budget.PLENTY).length)
			.allMatch((measured) -> measured.value() == 0);
	}

	@Test
	void everyCurveHasAllOfItsPoints() {
		for (Curves curves : SUITE.curves()) {
			assertThat(measurements)
				.filteredOn((measured) -> measured.metric().equals(curves.metric())
						&& curves.contenders().contains(measured.contender())
						&& curves.places().stream().anyMatch((place) -> place.situation().equals(measured.situation())))
				.hasSize(curves.contenders().size() * curves.places().size());
		}
	}

	@Test
	void theFloorIsOneCommand() {
		assertThat(figures(Metric.COMMANDS).filter((measured) -> measured.contender().equals(Table.FLOOR)))
			.hasSize(Situation.ALL.size())
			.allMatch((measured) -> measured.value() == 1);
	}

	@Test
	void aRememberedDenialIsHardlyEverAskedFor() {
		assertThat(figures(Metric.SCRIPTS).filter((measured) -> measured.contender().equals(Entrants.REMEMBERED)))
			.hasSize(1)
			.allMatch((measured) -> measured.value() < 0.5);
	}

	@Test
	void everyTableHasItsRowsAndEveryGoalItsContender() {
		for (Table table : SUITE.tables()) {
			assertThat(measurements).anyMatch((measured) -> measured.situation().equals(table.situation())
					&& measured.metric().equals(table.metric()));
			assertThat(measurements).filteredOn((measured) -> measured.situation().equals(table.situation()))
				.extracting(Measurement::contender)
				.containsAll(table.goals().keySet());
		}
	}

	@Test
	void whoDecidesOtherwiseIsNotMeasured() throws Exception {
		Entrant generous = Entrant.of("generous", Floor::new);
		try (RedisServer server = RedisServer.open();
				ServerAccess redis = new ServerAccess(server);
				Contest contest = new Contest(redis, Situation.REJECTED, List.of(generous))) {
			assertThatIllegalStateException()
				.isThrownBy(() -> contest.measure(Schedule.of(Mode.SMOKE), Metric.OF_SHORT_TURNS));
		}
	}

	@Test
	void quantilesAreExactToOnePercent() {
		Latencies latencies = new Latencies();
		for (int micros = 1; micros <= 1000; micros++) {
			latencies.add(micros * 1000L);
		}
		assertThat(latencies.quantile(0.5)).isBetween(495_000.0, 505_000.0);
		assertThat(latencies.quantile(0.99)).isBetween(980_000.0, 1_000_000.0);
	}

}
