package io.github.ratelimit.benchmarks.decision;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Times are subtracted that are of the same situation.
 */
class AddedTimeTests {

	@Test
	void whatItTakesLongerIsTheDifferenceInTheSameSituation() {
		List<Measurement> added = AddedTime.of(List.of(time("hot", Contender.TOKEN_BUCKET, 40, 3),
				time("hot", Contender.OBSERVED, 90, 4), time("hot", Contender.BUCKET4J, 50, 1),
				time("cold", Contender.TOKEN_BUCKET, 100, 0), time("cold", Contender.OBSERVED, 110, 0)));
		String metric = AddedTime.table("hot").metric();
		String observed = Contender.OBSERVED.label();
		assertThat(added).containsExactly(new Measurement("hot", observed, metric, 50, 5, "ns"),
				new Measurement("cold", observed, metric, 10, 0, "ns"));
		assertThat(AddedTime.table("hot").goals()).containsKey(observed);
	}

	private static Measurement time(String situation, Contender contender, double value, double error) {
		return new Measurement(situation, contender.label(), JmhRounds.TIME, value, error, "ns");
	}

}
