package io.github.ratelimit.benchmarks.startup;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Both applications start, and only one of them loads classes of ours.
 */
@Tag("slow")
class StartupSuiteTests {

	private final StartupSuite suite = new StartupSuite();

	@Test
	void bothStartAndOneOfThemIsLimited() throws Exception {
		List<Measurement> measured = this.suite.run(Mode.SMOKE);
		assertThat(measured).extracting(Measurement::metric)
			.contains("time until ready", "CPU time until ready", "classes loaded", "heap in use");
		assertThat(measured).filteredOn((figure) -> figure.metric().equals("classes of ours loaded"))
			.hasSize(2)
			.allSatisfy((figure) -> assertThat(figure.value() > 0)
				.isEqualTo(figure.contender().equals(Contender.WITH.title())));
		assertThat(measured).filteredOn((figure) -> !figure.metric().equals("classes of ours loaded"))
			.allSatisfy((figure) -> assertThat(figure.value()).isPositive());
	}

}
