package io.github.ratelimit.advice;

import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which callers are followed.
 */
class CallerSampleTests {

	private static final int SAMPLED = 1280;

	private static final int CALLERS = 100_000;

	private final Random random = new Random(5);

	@Test
	void requestsOfWhateverCostAreOneRejectionEach() {
		CandidateGrid grid = CandidateGrid.around(Replay.POLICY.limits().get(0));
		CallerSample sample = new CallerSample(grid);
		for (int permits = 1; permits <= 7; permits++) {
			sample.observe(1, 1_000_000_000L, grid.units(permits), 1, false);
		}
		// 1, 2, and then 3 to 7 are too many
		assertThat(grid.bursts[0]).isEqualTo(5);
		assertThat(sample.rejectedRequests()[CandidateGrid.RATES - 1]).isEqualTo(5);
		assertThat(sample.rejectedRequests()[CandidateGrid.RATES]).isEqualTo(3);
	}

	@Test
	void fewAreFollowedWhereBucketsAreSoonFullAgain() {
		CandidateGrid grid = grid(1_000_000, Duration.ofSeconds(1));
		CallerSample sample = sample(grid);
		observe(sample, 300_000, grid.units(1), 1000);
		assertThat(followed(sample)).isBetween(100L, 10_000L);
	}

	@Test
	void allAreFollowedOfThoseWhoComeSeldom() {
		CandidateGrid grid = grid(60, Duration.ofMinutes(1));
		CallerSample sample = sample(grid);
		observe(sample, 20_000, grid.units(1), 1_000_000_000);
		assertThat(followed(sample)).isEqualTo(CALLERS);
	}

	private static CandidateGrid grid(long limit, Duration window) {
		return CandidateGrid.around(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, window));
	}

	private static CallerSample sample(CandidateGrid grid) {
		return new CallerSample(grid);
	}

	private void observe(CallerSample sample, int requests, int cost, long nanosBetween) {
		for (int i = 0; i < requests; i++) {
			long hash = hash(i % CALLERS);
			boolean drawn = sample.draws(this.random.nextInt());
			if (drawn || sample.has(hash)) {
				sample.observe(hash, i * nanosBetween, cost, 1, drawn);
			}
		}
	}

	private static long followed(CallerSample sample) {
		return LongStream.range(0, CALLERS).filter((i) -> sample.has(hash(i))).count();
	}

	private static long hash(long caller) {
		long hash = (caller + 1) * 0x9e3779b97f4a7c15L;
		hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
		return (hash ^ (hash >>> 33)) >>> 1;
	}

}
