package io.github.ratelimit.advice;

import java.time.Duration;
import java.util.Random;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link CandidateGrid}: which rates and bursts are tried.
 */
class CandidateGridTests {

	@RepeatedTest(200)
	void whatCanBeConfiguredIsALimitAndNothingElse(RepetitionInfo repetition) {
		Random random = new Random(repetition.getCurrentRepetition());
		Duration window = Duration.ofMillis(1L << random.nextInt(31));
		long limit = 1 + random.nextLong(1L << random.nextInt(1, 10));
		long burst = 1 + random.nextLong(1L << random.nextInt(1, 12));
		if (!isLimit(limit, window, burst)) {
			return;
		}

		CandidateGrid grid = CandidateGrid.around(limit(limit, window, burst));
		for (int cell = 0; cell < CandidateGrid.CELLS; cell++) {
			int rate = cell % CandidateGrid.RATES;
			boolean valid = isLimit(grid.limits[rate], Duration.ofNanos(grid.windows[rate]),
					grid.bursts[cell / CandidateGrid.RATES]);
			assertThat(grid.canBeConfigured(cell)).as("%s per %s, burst %s: cell %s", limit, window, burst, cell)
				.isEqualTo(valid);
		}
	}

	private static boolean isLimit(long limit, Duration window, long burst) {
		try {
			limit(limit, window, burst);
			return true;
		}
		catch (InvalidRateLimitException ex) {
			return false;
		}
	}

	private static RateLimit limit(long limit, Duration window, long burst) {
		return RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET).limit(limit).window(window).burst(burst).build();
	}

}
