package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Overrides whose texts are those of configuration files.
 */
class ConfiguredOverridesTests {

	private static final RateLimit DEFINED = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1));

	private final ConfiguredOverrides overrides = new ConfiguredOverrides();

	@Test
	void eachNumberOfALimitCanBeSent() {
		Map<String, String> sent = Map.of("algorithm", "fixed-window-counter", "limit", "9", "window", "P1M", "zone",
				"UTC", "from", "15");
		Map<String, String> queue = Map.of("limits[0].algorithm", "leaky-bucket", "limits[0].limit", "1",
				"limits[0].window", "1m", "limits[0].burst", "4", "limits[0].delay", "2", "limits[1].algorithm",
				"sliding-window-log", "limits[1].limit", "1", "limits[1].window", "1m", "limits[1].count-rejected",
				"true");
		assertThat(this.overrides.readLimits(sent))
			.hasToString("[fixed-window-counter 9 per calendar month in UTC from 15]");
		assertThat(this.overrides.readLimits(queue)).hasToString(
				"[leaky-bucket 1 per 1 min, burst 4, delay 2, sliding-window-log 1 per 1 min, count-rejected]");
	}

	@Test
	void textsAreConvertedAsThoseOfProperties() {
		Map<String, String> sent = Map.of("limits[0].algorithm", "LEAKY_BUCKET", "limits[0].limit", " 0x10 ",
				"limits[0].window", "1m", "limits[0].burst", "4", "limits[0].nodelay", "yes", "mode", "Shadow", "for",
				"PT2H", "reason", "a test");
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

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			limits[1].burst      | many         | is not a whole number, or too large
			limits[1].limit      | 1.5          | is not a whole number, or too large
			limits[1].limit      | 99999999999999999999 | is not a whole number, or too large
			limits[1].nodelay    | perhaps      | is not a known value
			limits[1].algorithm  | token-bukket | is not a known value
			limits[1].window     | soon         | is not a duration
			limits[1].window     | 5            | has no unit
			limit                | ten          | is not a whole number, or too large
			mode                 | off          | is not a known value
			for                  | 5            | has no unit
			""")
	void mistakeNamesTheMember(String member, String text, String reason) {
		Map<String, String> sent = new HashMap<>(Map.of("limits[0].limit", "1", "limits[0].window", "1m",
				"limits[1].limit", "1", "limits[1].window", "2m"));
		sent.put(member, text);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.overrides.read(new RateLimitOverride.Target("login", null, null), List.of(DEFINED),
					sent, null))
			.satisfies((mistake) -> {
				assertThat(mistake.attribute()).isEqualTo(member);
				assertThat(mistake.value()).isEqualTo(text);
				assertThat(mistake.reason()).isEqualTo(reason);
			});
	}

	@Test
	void limitWithoutANumberIsAMistakeOfThatMember() {
		Map<String, String> sent = Map.of("limits[0].limit", "1", "limits[0].window", "1m", "limits[1].window", "2m");
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.overrides.readLimits(sent))
			.satisfies((mistake) -> assertThat(mistake.attribute()).isEqualTo("limits[1].limit"));
	}

}
