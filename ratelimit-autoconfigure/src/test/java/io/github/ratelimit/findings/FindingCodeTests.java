package io.github.ratelimit.findings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each code is given once, and the page that it links to has its anchor and what to do.
 */
class FindingCodeTests {

	private static final Path ROOT = Path.of("..");

	@Test
	void codesCountUpwards() {
		assertThat(FindingCode.values()).extracting(FindingCode::id)
			.containsExactlyElementsOf(IntStream.rangeClosed(1, FindingCode.values().length)
				.mapToObj((number) -> String.format("RL%03d", number))
				.toList());
	}

	@Test
	void pageHasAnAnchorForEveryCodeAndForNoOther() throws IOException {
		List<String> headings = page("docs/findings.md").lines().filter((line) -> line.startsWith("## RL")).toList();
		assertThat(headings)
			.containsExactlyElementsOf(Arrays.stream(FindingCode.values()).map((code) -> "## " + code.id()).toList());
		assertThat(FindingCode.values()).allSatisfy((code) -> assertThat(code.link())
			.matches("https://[^${}@ ]+/docs/findings\\.md#" + code.id().toLowerCase()));
	}

	@Test
	void pageSaysWhatToDoAndWhatDeservesAWarning() throws IOException {
		String page = page("docs/findings.md");
		for (FindingCode code : FindingCode.values()) {
			assertThat(page).contains("| [" + code.id() + "](#" + code.id().toLowerCase() + ") | "
					+ (code.isWarning() ? "WARN" : "INFO"));
			String section = page.substring(page.indexOf("## " + code.id()) + 3).split("\n## ")[0];
			assertThat(section.replace("`", "").replaceAll("\\s+", " ")).as(code.id()).contains(code.action());
		}
	}

	private static String page(String name) throws IOException {
		return Files.readString(ROOT.resolve(name));
	}

}
