package io.github.ratelimit.benchmarks.picture;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The picture in the documentation shows what the algorithms do today.
 */
class AlgorithmPictureTests {

	@Test
	void thePictureIsWhatTheAlgorithmsDecide() {
		Path picture = Path.of("..", "docs", "algorithms.svg");
		assertThat(picture).as("write it anew with -Dsuite=report").hasContent(AlgorithmPicture.draw());
		assertThat(AlgorithmPicture.draw().length()).isLessThan(15_000);
	}

	@ParameterizedTest
	@EnumSource
	void everyAlgorithmAllowsSomeAndRejectsSome(RateLimitAlgorithm algorithm) {
		List<Traffic.Outcome> outcomes = Traffic.under(RateLimit.of(algorithm, 5, Duration.ofSeconds(10)));
		assertThat(outcomes).hasSameSizeAs(Traffic.arrivals())
			.anyMatch(Traffic.Outcome::allowed)
			.anyMatch((outcome) -> !outcome.allowed());
	}

}
