package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.test.model.Decisions;
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

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SLIDING_WINDOW_LOG")
	void givingBackAnswersTheWordWithoutThePermits(RateLimitAlgorithm algorithm) {
		WordAlgorithm subject = (WordAlgorithm) Algorithm.of(RoomyLimits.of(algorithm, 5, Duration.ofMinutes(1)),
				Tick.NANOSECOND);
		long now = 1_772_668_800_000_000_000L;
		long base = subject.base(now);
		long before = subject.take(base, subject.initialWord(now), now, 1);
		long word = subject.take(base, before, now, 2);
		RateLimitReceipt given = RateLimitReceipt.of(subject.decision(base, word, now, 2, true));
		assertThat(subject.refund(base, word, now, 2, given)).isEqualTo(before);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SLIDING_WINDOW_LOG")
	void aNewBaseChangesNoAnswer(RateLimitAlgorithm algorithm) {
		WordAlgorithm subject = (WordAlgorithm) Algorithm.of(RoomyLimits.of(algorithm, 5, Duration.ofMinutes(1)),
				Tick.NANOSECOND);
		long now = 1_772_668_800_000_000_000L;
		long base = subject.base(now);
		long word = subject.take(base, subject.initialWord(now), now, 3);
		long later = now + Duration.ofSeconds(1).toNanos();
		assertThat(subject.needsRebase(base, later)).isFalse();
		long rebased = subject.rebase(base, word, later);
		assertThat(Decisions.describe(subject.decision(subject.base(later), rebased, later, 0, true)))
			.isEqualTo(Decisions.describe(subject.decision(base, word, later, 0, true)));
	}

}
