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
class RequestSampleTests {

	private static final int SAMPLED = 1280;

	private static final int CALLERS = 100_000;

	private final Random random = new Random(5);

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

	@Test
	void fewAreFollowedWhereBucketsAreSoonFullAgain() {
		Ladder ladder = ladder(1_000_000, Duration.ofSeconds(1));
		RequestSample sample = sample(ladder);
		observe(sample, 300_000, ladder.units(1), 1000);
		assertThat(followed(sample)).isBetween(100L, 10_000L);
	}

	@Test
	void allAreFollowedOfThoseWhoComeSeldom() {
		Ladder ladder = ladder(60, Duration.ofMinutes(1));
		RequestSample sample = sample(ladder);
		observe(sample, 20_000, ladder.units(1), 1_000_000_000);
		assertThat(followed(sample)).isEqualTo(CALLERS);
	}

	private static Ladder ladder(long limit, Duration window) {
		return Ladder.around(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, window));
	}

	private static RequestSample sample(Ladder ladder) {
		return new RequestSample(ladder, SAMPLED, 768, 3_000_000_000L);
	}

	private void observe(RequestSample sample, int requests, int cost, long nanosBetween) {
		for (int i = 0; i < requests; i++) {
			long hash = hash(i % CALLERS);
			boolean drawn = sample.draws(this.random.nextInt());
			if (drawn || sample.follows(hash)) {
				sample.observe(hash, i * nanosBetween, cost, 1, drawn);
			}
		}
	}

	private static long followed(RequestSample sample) {
		return LongStream.range(0, CALLERS).filter((i) -> sample.follows(hash(i))).count();
	}

	private static long hash(long caller) {
		long hash = (caller + 1) * 0x9e3779b97f4a7c15L;
		hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
		return (hash ^ (hash >>> 33)) >>> 1;
	}

}
