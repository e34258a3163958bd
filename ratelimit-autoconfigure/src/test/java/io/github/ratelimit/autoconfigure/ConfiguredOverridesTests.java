package io.github.ratelimit.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.actuate.OverrideReader.SentLimit;
import io.github.ratelimit.actuate.OverrideReader.SentOverride;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Overrides whose texts are those of configuration files.
 */
class ConfiguredOverridesTests {

	private static final RateLimit DEFINED = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1));

	private static final SentLimit NONE = new SentLimit(null, null, null, null, null, null, null, null, null);

	private final ConfiguredOverrides overrides = new ConfiguredOverrides();

	@Test
	void eachNumberOfAPropertyCanBeSent() {
		assertThat(components(SentLimit.class)).containsExactlyElementsOf(components(RateLimitProperties.Limit.class));
	}

	private static List<String> components(Class<?> type) {
		return Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
	}

	@Test
	void textsAreConvertedAsThoseOfProperties() {
		SentLimit queue = new SentLimit("LEAKY_BUCKET", " 0x10 ", "1m", null, null, "4", null, "yes", null);
		SentOverride sent = new SentOverride(NONE, List.of(queue), "Shadow", "PT2H", "a test");
		RateLimitOverride override = this.overrides.read(new RateLimitOverride.Target("login", null, null),
				List.of(DEFINED), sent, "somebody");
		assertThat(override.mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(override.duration()).isEqualTo(Duration.ofHours(2));
		assertThat(override.reason()).isEqualTo("a test");
		assertThat(override.who()).isEqualTo("somebody");
		assertThat(override.limits()).containsExactly(RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(16)
			.window(Duration.ofMinutes(1))
			.burst(4L)
			.nodelay(true)
			.build());
	}

	@Test
	void mistakeNamesTheMember() {
		SentLimit valid = new SentLimit(null, "1", "1m", null, null, null, null, null, null);
		SentLimit invalid = new SentLimit(null, "1", "1m", null, null, "many", null, null, null);
		for (SentOverride sent : Stream.of(List.of(valid, invalid), List.of(valid, NONE))
			.map((limits) -> new SentOverride(NONE, limits, null, null, null))
			.toList()) {
			assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.overrides.readLimits(sent))
				.satisfies((mistake) -> assertThat(mistake.attribute()).matches("limits\\[1]\\.(burst|limit)"));
		}
	}

}
