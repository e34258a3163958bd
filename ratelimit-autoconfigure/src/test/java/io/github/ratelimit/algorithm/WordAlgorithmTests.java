package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RoomyLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the store relies on where it replaces a word by itself.
 */
class WordAlgorithmTests {

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SLIDING_WINDOW_LOG")
	void takingNothingAnswersTheSameWord(RateLimitAlgorithm algorithm) {
		Duration window = Duration.ofMinutes(1);
		WordAlgorithm subject = (WordAlgorithm) Algorithm.of(RoomyLimits.of(algorithm, 5, window), Tick.NANOSECOND);
		long now = 1_772_668_800_000_000_000L;
		long base = subject.base(now);
		long word = subject.take(base, subject.initialWord(now), now, 3);
		assertThat(word).isPositive();
		for (int windows = 0; windows < 3; windows++) {
			assertThat(subject.take(base, word, now + windows * window.toNanos(), 0)).isEqualTo(word);
		}
	}

}
