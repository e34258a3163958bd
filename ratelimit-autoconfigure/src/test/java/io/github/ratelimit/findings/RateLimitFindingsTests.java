package io.github.ratelimit.findings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Findings are said once, and there are never too many of them. Each code is given once,
 * and the page that it links to has its anchor and what to do.
 */
@ExtendWith(OutputCaptureExtension.class)
class RateLimitFindingsTests {

	private final RateLimitFindings findings = new RateLimitFindings();

	@Test
	void findingIsLoggedOnceWithItsCodeAndWhatToDoAndIsAWarningOrNot(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			this.findings.report(FindingCode.EVICTED_KEYS, "login", "login", "Keys were forgotten.");
		}
		assertThat(this.findings.list())
			.containsExactly(new RateLimitFinding(FindingCode.EVICTED_KEYS, "login", "Keys were forgotten."));
		assertThat(output.getAll().lines().filter((line) -> line.contains("Keys were forgotten."))).singleElement()
			.asString()
			.contains("WARN")
			.endsWith("Keys were forgotten. " + FindingCode.EVICTED_KEYS.action() + " (RL021)");
		this.findings.report(FindingCode.LOCAL_STORE, null, "store", "Several instances.");
		assertThat(output.getAll().lines().filter((line) -> line.contains("(RL009)"))).singleElement()
			.asString()
			.contains("INFO");
	}

	@Test
	void whatTheLogHasAlreadyIsNotLoggedAgain(CapturedOutput output) {
		assertThat(this.findings.note(FindingCode.UNUSED_POLICY, "login", "login", "Nobody uses it.")).isTrue();
		this.findings.report(FindingCode.UNUSED_POLICY, "login", "login", "Nobody uses it.");
		assertThat(output).doesNotContain("Nobody uses it.");
		this.findings.note(FindingCode.UNUSED_POLICY, "login", "another", "two");
		this.findings.note(FindingCode.EVICTED_KEYS, "login", "login", "three");
		assertThat(this.findings.list()).extracting(RateLimitFinding::message)
			.containsExactly("Nobody uses it.", "two", "three");
	}

	@Test
	void thereAreAHundredAtMostAndTheLogSaysOnceThatThereWereMore(CapturedOutput output) {
		for (int i = 0; i < 1000; i++) {
			this.findings.report(FindingCode.EVICTED_KEYS, "p" + i, "p" + i, "Keys were forgotten.");
		}
		assertThat(this.findings.list()).hasSize(100);
		assertThat(output.getAll().lines().filter((line) -> line.contains("Keys were forgotten."))).hasSize(100);
		assertThat(output.getAll().lines().filter((line) -> line.contains("There are 100 findings."))).hasSize(1);
	}

	@Test
	void codesCountUpwards() {
		assertThat(FindingCode.values()).extracting(FindingCode::id)
			.containsExactlyElementsOf(IntStream.rangeClosed(1, FindingCode.values().length)
				.mapToObj((number) -> String.format("RL%03d", number))
				.toList());
	}

	@Test
	void pageHasOneAnchorForEveryCodeAndSaysWhatToDoAndWhatDeservesAWarning() throws IOException {
		String page = Files.readString(Path.of("../docs/findings.md"));
		FindingCode[] codes = FindingCode.values();
		assertThat(page.lines().filter((line) -> line.startsWith("## RL")))
			.containsExactlyElementsOf(Arrays.stream(codes).map((code) -> "## " + code.id()).toList());
		for (FindingCode code : codes) {
			String anchor = "#" + code.id().toLowerCase(Locale.ROOT);
			assertThat(code.link()).matches("https://[^${}@ ]+/docs/findings\\.md" + anchor);
			assertThat(page)
				.contains("| [" + code.id() + "](" + anchor + ") | " + (code.isWarning() ? "WARN" : "INFO"));
			String section = page.substring(page.indexOf("## " + code.id()) + 3).split("\n## ")[0];
			assertThat(section.replace("`", "").replaceAll("\\s+", " ")).as(code.id()).contains(code.action());
		}
	}

}
