package io.github.ratelimit.advice;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which callers are followed.
 */
class RequestSampleTests {

	@Test
	void requestsOfWhateverCostAreOneRejectionEach() {
		Ladder ladder = Ladder.around(Replay.POLICY.limits().get(0));
		RequestSample sample = new RequestSample(ladder, 8, 16, 1_000_000_000L);
		for (int permits = 1; permits <= 7; permits++) {
			sample.observe(1, 1_000_000_000L, ladder.units(permits), 1, false);
		}
		// 1, 2, and then 3 to 7 are too many
		assertThat(ladder.bursts[0]).isEqualTo(5);
		assertThat(sample.rejected()[Ladder.RATES - 1]).isEqualTo(5);
		assertThat(sample.rejected()[Ladder.RATES]).isEqualTo(3);
	}

}
