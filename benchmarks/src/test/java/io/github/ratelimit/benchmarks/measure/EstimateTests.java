package io.github.ratelimit.benchmarks.measure;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EstimateTests {

	@Test
	void theLowerQuartileLeavesOutWhatOtherWorkMadeLonger() {
		Estimate estimate = Estimate
			.lowerQuartile(List.of(new double[] { 40, 41, 90, 42 }, new double[] { 44, 43, 300, 45 }));
		assertThat(estimate).isEqualTo(new Estimate(41, 1.5, List.of(40.0, 43.0)));
	}

}
