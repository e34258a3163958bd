package io.github.ratelimit.benchmarks.http;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The servers start, and answer every request as they should: a client fails at the first
 * response that has another status.
 */
@Tag("slow")
class HttpSuiteTests {

	private final HttpSuite suite = new HttpSuite();

	@Test
	void everybodyHasAllFigures() throws Exception {
		List<Measurement> measured = this.suite.run(Mode.SMOKE);
		for (Table table : this.suite.tables()) {
			List<String> expected = Subject.all()
				.stream()
				.filter((subject) -> subject.title().equals(table.situation()))
				.map((subject) -> subject.contender().title())
				.toList();
			assertThat(measured)
				.filteredOn((figure) -> figure.situation().equals(table.situation())
						&& figure.metric().equals(table.metric()))
				.as(table.metric())
				.extracting(Measurement::contender)
				.containsExactlyElementsOf(expected);
		}
		assertThat(measured).allSatisfy((figure) -> assertThat(figure.value()).isFinite());
	}

}
