package io.github.ratelimit.policy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is said of overrides that this instance cannot use, which anybody may have
 * written.
 */
@ExtendWith(OutputCaptureExtension.class)
class OverrideLogTests {

	private static final String IGNORED = "is ignored by this instance";

	private final OverrideLog log = new OverrideLog();

	@Test
	void onlyThePolicyOfANameIsSaid(CapturedOutput output) {
		this.log.ignored("one/k/secret", "reason");
		this.log.ignored("two", "reason");
		this.log.ignored("/k/secret", "reason");
		assertThat(output).contains("policy 'one' " + IGNORED + ": reason. This is logged once")
			.contains("policy 'two' " + IGNORED)
			.contains("policy '' " + IGNORED)
			.doesNotContain("secret");
	}

	@Test
	void theSameIsSaidOnceAndOnlyAHundredThingsAreSaid(CapturedOutput output) {
		for (int i = 0; i < 300; i++) {
			this.log.ignored("policy" + i / 2, "reason");
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains(IGNORED))).hasSize(100)
			.last()
			.asString()
			.contains("'policy99'");
	}

}
