package io.github.ratelimit.benchmarks;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.ratelimit.benchmarks.decision.DecisionSuite;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The benchmarks run, and every limiter with a goal is measured.
 */
@Tag("slow")
class DecisionSuiteTests {

	private final DecisionSuite suite = new DecisionSuite();

	@Test
	void everybodyWithAGoalIsMeasuredInEverySituation() throws Exception {
		List<Measurement> measurements = this.suite.run(Mode.SMOKE);
		assertThat(measurements).allSatisfy((measured) -> assertThat(measured.value()).isFinite());
		for (Table table : this.suite.tables()) {
			Set<String> contenders = measurements.stream()
				.filter((measured) -> measured.situation().equals(table.situation())
						&& measured.metric().equals(table.metric()))
				.map(Measurement::contender)
				.collect(Collectors.toSet());
			assertThat(contenders).as(table.situation()).hasSizeGreaterThan(4).containsAll(table.goals().keySet());
		}
	}

}
