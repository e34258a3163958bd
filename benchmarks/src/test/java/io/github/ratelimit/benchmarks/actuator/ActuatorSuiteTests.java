package io.github.ratelimit.benchmarks.actuator;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every table has its figures, and everybody with a goal is measured.
 */
@Tag("slow")
class ActuatorSuiteTests {

	private final ActuatorSuite suite = new ActuatorSuite();

	@Test
	void everyTableHasItsFiguresAndEveryGoalItsContender() throws Exception {
		List<Measurement> measured = this.suite.run(Mode.SMOKE);
		assertThat(measured).allSatisfy((figure) -> assertThat(figure.value()).isFinite().isNotNegative());
		for (Table table : this.suite.tables()) {
			assertThat(measured)
				.filteredOn((figure) -> figure.situation().equals(table.situation())
						&& figure.metric().equals(table.metric()))
				.as(table.metric())
				.isNotEmpty()
				.extracting(Measurement::contender)
				.doesNotHaveDuplicates()
				.containsAll(table.goals().keySet());
		}
		assertThat(measured).filteredOn((figure) -> figure.unit().equals("ms"))
			.hasSize(2 * EndpointRequest.values().length)
			.allSatisfy((figure) -> assertThat(figure.value()).isPositive());
	}

}
