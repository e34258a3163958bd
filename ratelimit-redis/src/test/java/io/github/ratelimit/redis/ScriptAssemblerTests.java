package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.redis.LimitScript.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A mistake in the files of a limit is told when its script is put together.
 */
class ScriptAssemblerTests {

	@Test
	void aSectionThatIsMissingOrMisspeltIsNamed() {
		assertThatIllegalStateException().isThrownBy(() -> assemble("misspelt.lua"))
			.withMessage("There is no section 'passes' in [any-limit.lua, first-limit.lua, misspelt.lua]");
	}

	@Test
	void moreVariablesThanALimitMayHaveAreCounted() {
		assertThatIllegalStateException().isThrownBy(() -> assemble("fixed-window-counter.lua", "talkative.lua"))
			.withMessage("The numbers and variables of [fixed-window-counter.lua, talkative.lua] are 11, "
					+ "and RateLimitScripts.VARIABLES_OF_A_LIMIT says 10");
	}

	private static void assemble(String... files) {
		LimitScript limit = new LimitScript(
				TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofHours(1)), false,
				Kind.FIXED_WINDOW_COUNTER, List.of(files)) {

			@Override
			RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
					boolean withoutDelay) {
				throw new UnsupportedOperationException();
			}

		};
		new ScriptAssembler(List.of(new PolicyScript(List.of(limit), 10, null, false)), "decide.lua");
	}

}
