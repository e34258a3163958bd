package io.github.ratelimit.findings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Findings are said once, and there are never too many of them.
 */
@ExtendWith(OutputCaptureExtension.class)
class RateLimitFindingsTests {

	private final RateLimitFindings findings = new RateLimitFindings();

	@Test
	void findingIsLoggedOnceWithItsCodeAndWhatToDo(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			this.findings.report(FindingCode.EVICTED_KEYS, "login", "login", "Keys were forgotten.");
		}
		assertThat(this.findings.list())
			.containsExactly(new RateLimitFinding(FindingCode.EVICTED_KEYS, "login", "Keys were forgotten."));
		assertThat(output.getAll().lines().filter((line) -> line.contains("Keys were forgotten."))).singleElement()
			.asString()
			.contains("WARN")
			.endsWith("Keys were forgotten. " + FindingCode.EVICTED_KEYS.action() + " (RL021)");
	}

	@Test
	void whatMayBeWorthKnowingIsNoWarning(CapturedOutput output) {
		this.findings.report(FindingCode.LOCAL_STORE, null, "store", "Several instances.");
		assertThat(output).contains("INFO").contains("(RL009)").doesNotContain("WARN");
	}

	@Test
	void whatTheLogHasAlreadyIsNotLoggedAgain(CapturedOutput output) {
		assertThat(this.findings.note(FindingCode.UNUSED_POLICY, "login", "login", "Nobody uses it.")).isTrue();
		this.findings.report(FindingCode.UNUSED_POLICY, "login", "login", "Nobody uses it.");
		assertThat(output).doesNotContain("Nobody uses it.");
		assertThat(this.findings.list()).hasSize(1);
	}

	@Test
	void otherSubjectsAndOtherCodesAreFindingsOfTheirOwn() {
		this.findings.note(FindingCode.UNUSED_POLICY, "login", "login", "one");
		this.findings.note(FindingCode.UNUSED_POLICY, "search", "search", "two");
		this.findings.note(FindingCode.EVICTED_KEYS, "login", "login", "three");
		assertThat(this.findings.list()).extracting(RateLimitFinding::message).containsExactly("one", "two", "three");
	}

	@Test
	void thereAreAHundredAtMost(CapturedOutput output) {
		for (int i = 0; i < 1000; i++) {
			this.findings.report(FindingCode.EVICTED_KEYS, "p" + i, "p" + i, "Keys were forgotten.");
		}
		assertThat(this.findings.list()).hasSize(100);
		assertThat(output.getAll().lines().filter((line) -> line.contains("Keys were forgotten."))).hasSize(100);
	}

}
