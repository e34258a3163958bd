package io.github.ratelimit.benchmarks.http;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
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

	@Test
	void everybodyHasAllFiguresOnServers() throws Exception {
		everybodyHasAllFigures(new HttpSuite(), List.of(Stack.TOMCAT, Stack.NETTY));
	}

	@Test
	void everybodyHasAllFiguresPartByPart() throws Exception {
		everybodyHasAllFigures(new PartsSuite(), List.of(Stack.TOMCAT_BY_PARTS, Stack.NETTY_BY_PARTS));
	}

	@Test
	void everybodyHasAllFiguresThroughTheGateway() throws Exception {
		everybodyHasAllFigures(new GatewaySuite(), List.of(Stack.GATEWAY));
	}

	private static void everybodyHasAllFigures(Suite suite, List<Stack> stacks) throws Exception {
		List<Measurement> measured = suite.run(Mode.SMOKE);
		for (Table table : suite.tables()) {
			List<String> expected = Subject.of(stacks)
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
