package io.github.ratelimit.policy;

import io.github.ratelimit.RateLimitOverride;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What instances write of an override for each other.
 */
class OverrideTextTests {

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
