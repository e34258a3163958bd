package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.store.SharedOverrides;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What instances write of an override for each other.
 */
class OverrideTextTests {

	@Test
	void allThatAnOverrideSaysIsReadAsItWasWritten() {
		RateLimitOverride override = RateLimitOverride.of("api")
			.plan("pro")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1)))
			.mode(RateLimitMode.SHADOW)
			.duration(Duration.ofHours(2))
			.reason("bad night")
			.who("me")
			.build();
		Instant since = Instant.parse("2026-03-05T00:00:00Z");
		SharedOverrides.Entry written = new SharedOverrides.Entry(OverrideText.write(override, since), 7, 0);
		assertThat(OverrideText.read(override.target(), written))
			.isEqualTo(new RateLimitOverrides.InForce(override, 7, since, null));
	}

	@Test
	void whatIsOverriddenIsReadFromItsName() {
		checkName("api", new RateLimitOverride.Target("api", null, null));
		checkName("api/plan/pro/key/x", new RateLimitOverride.Target("api", "pro/key/x", null));
		checkName("api/key/192.0.2.1/plan/x", new RateLimitOverride.Target("api", null, "192.0.2.1/plan/x"));
		assertThatIllegalArgumentException().isThrownBy(() -> OverrideText.target("api/other"));
		assertThatIllegalArgumentException().isThrownBy(() -> OverrideText.target("/"));
	}

	private static void checkName(String name, RateLimitOverride.Target target) {
		assertThat(OverrideText.name(target)).isEqualTo(name);
		assertThat(OverrideText.target(name)).isEqualTo(target);
	}

}
