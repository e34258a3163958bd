package io.github.ratelimit.sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page at {@code /}, and what its buttons call.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class PageTests {

	private static final Pattern BUTTON = Pattern
		.compile("data-method=\"(\\w+)\" data-path=\"([^\"]+)\"(?: data-body='([^']+)')?");

	private static final Pattern ELEMENT_BY_ID = Pattern.compile("element\\('(\\w+)'\\)");

	@LocalServerPort
	private int port;

	private String page;

	@BeforeEach
	void getPage() throws IOException, InterruptedException {
		List<String> lines = new Curl(this.port).run(List.of("curl", "-si", "127.0.0.1:8080/"));
		assertThat(lines).startsWith("HTTP/1.1 200").contains("<!doctype html>");
		assertThat(lines).anyMatch((line) -> line.toLowerCase().startsWith("content-type: text/html"));
		this.page = String.join("\n", lines);
	}

	@Test
	void everyButtonCallsWhatThereIs() throws IOException, InterruptedException {
		List<MatchResult> buttons = BUTTON.matcher(this.page).results().toList();
		assertThat(buttons).hasSizeGreaterThanOrEqualTo(6);
		for (MatchResult button : buttons) {
			List<String> command = new ArrayList<>(List.of("curl", "-si", "-X", button.group(1)));
			if (button.group(3) != null) {
				command.addAll(List.of("-H", "Content-Type: application/json", "-d", button.group(3)));
			}
			command.add("127.0.0.1:8080" + button.group(2));
			boolean wrong = button.group(0).contains("1234");
			assertThat(new Curl(this.port).run(command)).as(button.group())
				.first()
				.asString()
				.startsWith(wrong ? "HTTP/1.1 401" : "HTTP/1.1 2");
		}
	}

	@Test
	void pageLoadsNothingFromElsewhere() {
		assertThat(this.page).doesNotContain("://").doesNotContainPattern("(src|href)=\"(?!data:,)");
	}

	@Test
	void everyElementThatTheScriptLooksForIsThere() {
		assertThat(ELEMENT_BY_ID.matcher(this.page).results().map((id) -> "id=\"" + id.group(1) + '"')).isNotEmpty()
			.allMatch(this.page::contains);
	}

	@Test
	void everyControlHasLabel() {
		assertThat(Pattern.compile("<label>[^<]+<select").matcher(this.page).results().count())
			.isEqualTo(Pattern.compile("<select").matcher(this.page).results().count());
		assertThat(this.page).contains("lang=\"en\"", "<caption", "scope=\"col\"", "role=\"status\"");
	}

}
