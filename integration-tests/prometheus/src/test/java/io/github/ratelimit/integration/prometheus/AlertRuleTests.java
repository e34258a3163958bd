package io.github.ratelimit.integration.prometheus;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules of alerts raise what they say, and nothing else, as Prometheus' own tool
 * tests rules.
 */
class AlertRuleTests {

	static final Path RULES = Board.DOCS.resolve("grafana/ratelimit-alerts.yml");

	private static final Path TESTS = Path.of("src", "test", "resources", "ratelimit-alerts-test.yml");

	private static final int PATIENCE_SECONDS = 60;

	@TempDir
	private Path directory;

	@BeforeAll
	static void assumeInstalled() {
		Prometheus.assumeInstalled("promtool", "the rules of alerts");
	}

	@Test
	void rulesAreValid() throws Exception {
		run("check", "rules", RULES.toString());
	}

	@Test
	void rulesAreRaisedWhenTheySay() throws Exception {
		run("test", "rules", TESTS.toString());
	}

	static List<String> alerts() throws IOException {
		return Files.readAllLines(RULES)
			.stream()
			.filter((line) -> line.contains("- alert: "))
			.map(AlertRuleTests::name)
			.toList();
	}

	private static String name(String line) {
		return line.substring(line.indexOf(": ") + 2);
	}

	@ParameterizedTest
	@MethodSource("alerts")
	void eachRuleIsTestedAndOnThePage(String alert) throws Exception {
		assertThat(TESTS).content().contains("alertname: " + alert + "\n        exp_alerts:\n");
		assertThat(Board.DOCS.resolve("grafana.md")).content().contains("| `" + alert + "` |");
	}

	private void run(String... arguments) throws Exception {
		Path printed = this.directory.resolve("printed.txt");
		List<String> command = new ArrayList<>(List.of("promtool"));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(printed.toFile())
			.start();
		try {
			assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
			assertThat(process.exitValue()).as(Files.readString(printed, StandardCharsets.UTF_8)).isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

}
