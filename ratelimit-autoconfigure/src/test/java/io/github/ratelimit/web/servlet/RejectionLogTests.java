package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a rejection leaves in the log.
 */
@ExtendWith(OutputCaptureExtension.class)
class RejectionLogTests {

	private static final Pattern LINE = Pattern.compile("DEBUG .*"
			+ "The rate limit policy 'rule' rejected the key with the hash ([0-9a-f]{16}), for the next 1 h");

	private static final String SECRET = "sk-5f9cA";

	@Test
	void aRejectionIsLoggedForThoseWhoLookForIt(CapturedOutput output) {
		reject("debug");
		List<String> hashes = output.getAll()
			.lines()
			.map(LINE::matcher)
			.filter((line) -> line.find())
			.map((line) -> line.group(1))
			.toList();
		assertThat(hashes).hasSize(3);
		assertThat(hashes.get(1)).isEqualTo(hashes.get(0)).isNotEqualTo(hashes.get(2));
		assertThat(output).doesNotContain(SECRET);
	}

	@Test
	void nobodyElseHearsOfIt(CapturedOutput output) {
		reject("info");
		assertThat(output).doesNotContain("reject", "WARN", "ERROR");
	}

	private static void reject(String level) {
		try (TestServer server = TestServer.start(Controller.class, "rule: 1 per 1h; key=header('X-Api-Key')",
				"/ruled -> rule", "logging.level.io.github.ratelimit=" + level)) {
			for (String key : List.of(SECRET, SECRET, SECRET, "another", "another")) {
				server.get("/ruled", "X-Api-Key", key);
			}
		}
	}

	@RestController
	static class Controller {

		@GetMapping("/ruled")
		String ruled() {
			return "ruled";
		}

	}

}
