package io.github.ratelimit.integration.browser;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitOverride;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds of the whole page: everybody can use it, what it shows stays text, and it
 * asks nobody else.
 */
@Tag("slow")
class PageTests extends OpenPage {

	private static final JsonMapper JSON = new JsonMapper();

	@BeforeAll
	static void start() {
		run();
		PageApplication.traffic(application, 130);
	}

	@Test
	void whatClientsSendStaysText() {
		registry.overrides()
			.put(RateLimitOverride.of("login")
				.key(Answers.HOSTILE)
				.limit(registry.policy("login").policy().limits().get(0))
				.reason(Answers.HOSTILE)
				.build());
		this.tab.answering("rejected", Answers.REJECTED)
			.go(login)
			.shows("key " + Answers.HOSTILE + " of login")
			.shows("<b>bold</b>")
			.fill("Key, as", Answers.HOSTILE)
			.click("Look up")
			.shows(Answers.HOSTILE + " has 40 permits left");
		assertThat(this.tab.number("document.querySelectorAll('.policy img, .policy b, table img').length")).isZero();
		assertThat(this.tab.string("document.title")).isEqualTo("login – Rate limits");
	}

	@Test
	void whateverTheApplicationTellsStaysText() throws Exception {
		String name = JSON.writeValueAsString(Answers.HOSTILE);
		this.tab
			.answering("ratelimits",
					"""
							{"store":%1$s,"writable":true,"health":{"available":false,"outages":1,"failure":%1$s},
							"instance":{"name":%1$s,"startedAt":"2026-03-05T00:00:00Z","now":"2026-03-05T02:00:00Z"},
							"instances":[{"name":%1$s,"startedAt":"2026-03-05T00:00:00Z","publishedAt":"2026-03-05T02:00:00Z"},
							{"name":"b","startedAt":"2026-03-05T00:00:00Z","publishedAt":"2026-03-05T02:00:00Z"}],
							"bans":[{"policy":%1$s,"key":%1$s,"reason":%1$s,"by":%1$s,"since":"2026-03-05T00:00:00Z",
							"until":"2026-03-05T03:00:00Z"}],
							"deny":{"addresses":[{"address":%1$s,"reason":%1$s,"by":%1$s,"since":"2026-03-05T00:00:00Z"}],
							"keys":[{"policy":%1$s,"key":%1$s,"configured":true}],"requests":1},
							"findings":[{"code":%1$s,"level":"warning","policy":%1$s,"message":%1$s,"action":%1$s,
							"link":"https://docs.example/"}],
							"policies":{%1$s:{"key":%1$s,"limits":[],"appliedTo":[{"place":%1$s,"key":%1$s}],"mode":"enforce",
							"evictions":0,"requests":{"allowed":1,"delayed":0,"rejected":1,"banned":0,"queue_full":0,"unavailable":0,
							"returned":0,"exceeded":0},"overrides":[{"policy":%1$s,"plan":%1$s,"limits":[],"mode":%1$s,
							"defined":{"limits":[],"mode":%1$s},"since":"2026-03-05T00:00:00Z","reason":%1$s,"who":%1$s,
							"version":1,"scope":%1$s}]}}}"""
						.formatted(name))
			.answering("rejected", """
					{"policy":"x","keys":[],"hour":[{"key":%1$s,"hash":%1$s,"rejected":1,"error":0,
					"first":"2026-03-05T01:00:00Z","last":"2026-03-05T02:00:00Z"}]}""".formatted(name));
		String policy = this.tab.go(page).string("encodeURIComponent(" + name + ")");
		for (String view : List.of("#/", "#/in-force", "#/findings", "#/policy/" + policy)) {
			this.tab.go("about:blank").go(page + view).until("document.querySelector('#view')").shows(Answers.HOSTILE);
			assertThat(this.tab.number("document.querySelectorAll('img').length")).as(view).isZero();
		}
		this.tab.click("Ban " + Answers.HOSTILE)
			.shows("Ban " + Answers.HOSTILE + " from " + Answers.HOSTILE + "?")
			.click("Cancel");
		assertThat(this.tab.number("document.querySelectorAll('img').length")).isZero();
		assertThat(this.tab.string("document.title")).isEqualTo(Answers.HOSTILE + " – Rate limits");
	}

	@Test
	void asksNobodyElse() {
		this.tab.go(login).until("document.querySelector('.policy figure svg')");
		assertThat(this.tab.requests()).hasSizeGreaterThan(10)
			// the browser's own icon in a field for a date
			.filteredOn((url) -> !url.startsWith("data:"))
			.allMatch((url) -> url.startsWith(PageApplication.address(application, "/actuator/ratelimits")));
	}

	@ParameterizedTest
	@CsvSource({ "375, false", "375, true", "1200, false", "1200, true", "2560, false", "2560, true" })
	void everybodyCanUseIt(int width, boolean dark) throws Exception {
		registry.overrides()
			.put(RateLimitOverride.of("search")
				.key("ada")
				.limit(registry.policy("login").policy().limits().get(0))
				.duration(Duration.ofHours(2))
				.reason("an international customer")
				.build());
		this.tab.size(width, 900)
			.dark(dark)
			.answering("advice", Answers.ADVICE)
			.answering("rejected", Answers.REJECTED)
			.answering("ratelimits", Answers.withFindings(page));
		for (String view : List.of("#/", "#/in-force", "#/findings", "#/policy/none", "#/playground")) {
			this.tab.go("about:blank").go(page + view).until("document.querySelector('h2')");
			hasRoom(width);
		}
		this.tab.go(page + "#/policy/search")
			.shows("Take back")
			.fill("Key, as", "ada")
			.click("Look up")
			.shows("ada has")
			.click("As a table")
			.click("Override its numbers")
			.until("document.querySelectorAll('.policy figure svg').length === 2");
		hasRoom(width);
		this.tab.click("Ban 203.0.113.7").shows("from search?");
		assertAccessible();
		this.tab.click("Cancel");
	}

	/* No word is split, and nothing is wider than the page. */
	private void hasRoom(int width) throws IOException {
		assertAccessible();
		assertThat(this.tab.<List<?>>run("""
				const split = [];
				const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
				while (texts.nextNode()) {
					const { data, parentElement } = texts.currentNode;
					for (const word of parentElement.closest('code, q, .link') ? [] : data.matchAll(/\\p{L}+/gu)) {
						const range = document.createRange();
						range.setStart(texts.currentNode, word.index);
						range.setEnd(texts.currentNode, word.index + word[0].length);
						if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) {
							split.push(word[0]);
						}
					}
				}
				return split;""")).isEmpty();
		assertThat(this.tab.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
	}

	private void assertAccessible() throws IOException {
		try (InputStream axe = Objects.requireNonNull(getClass().getResourceAsStream("/axe.min.js"))) {
			this.tab.run(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
		}
		assertThat(this.tab.<List<?>>run("""
				return axe.run(document,
						{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
					.then(({ violations }) => violations.map(({ id, nodes }) =>
						id + ': ' + nodes.map((each) => each.html + ' ' + each.failureSummary)));""")).isEmpty();
	}

	@Test
	void everythingIsReachedWithTheKeyboard() {
		this.tab.go(login).until("document.querySelector('.policy figure svg')");
		StringBuilder reached = new StringBuilder();
		for (int i = 0; i < 30; i++) {
			this.tab.press(Keys.TAB);
			reached.append(focused()).append('\n');
		}
		assertThat(reached.toString()).contains("Pause", "Policies", "In force", "Playground", "As a table", "INPUT",
				"Look up", "Override its numbers");
	}

}
