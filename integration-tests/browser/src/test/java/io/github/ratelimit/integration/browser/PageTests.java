package io.github.ratelimit.integration.browser;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page as people see and use it.
 */
@Tag("slow")
class PageTests {

	private static final String HOSTILE = "<img src=x onerror=\"document.title='owned'\">";

	private static final String ADVICE = """
			{"policy":"login","since":"2026-01-01T00:00:00Z","seconds":259200,"callers":41000,"requests":1200000,
			"sampledCallers":2011,"curves":[{"limit":20,"window":60,"points":[
			{"burst":0,"callers":0.21,"requests":0.3},{"burst":5,"callers":0.08,"requests":0.12},
			{"burst":10,"callers":0.02,"requests":0.05},{"burst":20,"callers":0.008,"requests":0.02},
			{"burst":40,"callers":0.003,"requests":0.012},{"burst":80,"callers":0.001,"requests":0.004}]}],
			"suggestion":{"limit":20,"window":60,"burst":40,"callers":0.003,"requests":0.012,
			"text":"20 a minute, burst 40: 0.3 % of callers, 1.2 % of requests",
			"yaml":"ratelimit:\\n  policies:\\n    login:\\n      mode: shadow\\n","doubts":["Only three days were observed."]}}""";

	private static final String NO_ADVICE = """
			{"policy":"login","since":"2026-01-01T00:00:00Z","seconds":120,"callers":3,"requests":12,
			"sampledCallers":3,"curves":[{"limit":1,"window":60,"points":[
			{"burst":20,"callers":0.9,"requests":0.9},{"burst":40,"callers":0.8,"requests":0.8}]},
			{"limit":20,"window":60,"points":[
			{"burst":20,"callers":0.02,"requests":0.05},{"burst":40,"callers":0.003,"requests":0.012},
			{"burst":80,"callers":0,"requests":0}]},
			{"limit":50,"window":60,"points":[{"burst":20,"callers":0,"requests":0}]}],
			"missing":["Too few callers were observed."]}""";

	private static final String REJECTED = """
			{"policy":"login","keys":[{"key":"203.0.113.7","hash":"9f2c","rejected":412,"error":0},
			{"key":"<b>bold</b>","hash":"77aa","rejected":31,"error":4}]}""";

	private static ConfigurableApplicationContext application;

	private static RateLimiterRegistry registry;

	private static String page;

	private Tab tab;

	@BeforeAll
	static void start() {
		Tab.assumeInstalled();
		application = PageApplication.run(Secured.Open.class);
		registry = application.getBean(RateLimiterRegistry.class);
		page = PageApplication.address(application, "/actuator/ratelimits/page");
		PageApplication.traffic(application, 130);
	}

	@AfterAll
	static void stop() {
		if (application != null) {
			application.close();
		}
	}

	@BeforeEach
	void open() {
		this.tab = Tab.open();
	}

	@AfterEach
	void close() {
		registry.overrides()
			.inForce()
			.forEach((each) -> registry.overrides()
				.remove(each.override().target(), RateLimitOverrides.ANY_VERSION, null));
		try (Tab closed = this.tab) {
			assertThat(closed.problems()).isEmpty();
		}
	}

	@Test
	void showsPoliciesInWords() {
		this.tab.go(page)
			.shows("20 a minute, burst 40 (token bucket)")
			.shows("rule POST /login")
			.shows("Store: caffeine")
			.shows("after 200 rejections within 1 minute, for 1 hour")
			.click("search")
			.shows("600 a minute")
			.shows("rule /search/**, key header('X-Api-Key')")
			.shows("Key, as header('X-Api-Key') computes it")
			.shows("In shadow")
			.until("location.hash === '#policy=search' && document.querySelector('h2#policy').innerText === 'search'");
		this.tab.shows("would be rejected");
	}

	@Test
	void chartShowsWhatWasDecidedAndMoves() {
		this.tab.go(page).until("document.querySelector('.policy figure canvas')");
		assertThat(picture()).describedAs("drawn pixels").isGreaterThan(1000);
		String before = label();
		assertThat(before).startsWith("In the last 10 minutes: ").contains(" allowed, ").contains(" rejected");
		PageApplication.traffic(application, 3);
		this.tab.until("document.querySelector('.policy figure [role=img]').ariaLabel !== '" + before + "'");
		this.tab.click("As a table").shows("the last");
		assertThat(this.tab.number("document.querySelectorAll('.policy details table tbody tr').length")).isEqualTo(10);
	}

	private int picture() {
		return this.tab.<Number>run("""
				const it = document.querySelector('.policy figure canvas');
				return it.getContext('2d').getImageData(0, 0, it.width, it.height).data
					.filter((each, i) => i % 4 === 3 && each > 0).length;""").intValue();
	}

	private String label() {
		return this.tab.string("document.querySelector('.policy figure [role=img]').ariaLabel");
	}

	@Test
	void keyIsResetOnceThatIsConfirmed() {
		for (int i = 0; i < 40; i++) {
			registry.decide("login", "198.51.100.9");
		}
		this.tab.go(page)
			.fill("Key, as", "198.51.100.9")
			.press(Keys.ENTER)
			.shows("198.51.100.9 has 0 permits left, the next one in 3 seconds, and all of them in 2 minutes");
		this.tab.click("Reset").shows("This cannot be undone").click("Cancel");
		this.tab.until("!document.querySelector('dialog')");
		assertThat(registry.peek("login", "198.51.100.9").remaining()).isZero();
		this.tab.click("Reset")
			.shows("This cannot be undone")
			.press(Keys.ESCAPE)
			.until("!document.querySelector('dialog')");
		assertThat(registry.peek("login", "198.51.100.9").remaining()).isZero();
		this.tab.click("Reset")
			.click("Reset")
			.shows("The key 198.51.100.9 of login was reset.")
			.shows("40 permits left");
		assertThat(registry.peek("login", "198.51.100.9").remaining()).isEqualTo(40);
	}

	@Test
	void nothingIsDestroyedByTheFirstKeyThatIsPressed() {
		registry.decide("login", "198.51.100.10");
		this.tab.go(page)
			.fill("Key, as", "198.51.100.10")
			.click("Look up")
			.click("Reset")
			.shows("This cannot be undone")
			.press(Keys.ENTER)
			.until("!document.querySelector('dialog')");
		assertThat(registry.peek("login", "198.51.100.10").remaining()).isEqualTo(39);
	}

	@Test
	void bannedKeyIsUnbanned() {
		for (int i = 0; i < 300; i++) {
			registry.decide("login", "198.51.100.66");
		}
		this.tab.go(page).fill("Key, as", "198.51.100.66").click("Look up").shows("is banned for another 1 hour");
		this.tab.click("Unban and reset").click("Reset").shows("40 permits left");
		assertThat(registry.peek("login", "198.51.100.66").banned()).isFalse();
	}

	@Test
	void policyIsOverriddenAndTheOverrideTakenBack() {
		this.tab.go(page)
			.click("Override its numbers")
			.fill("Limit", "5")
			.fill("in each", "2m")
			.fill("For", "2h")
			.fill("Reason", HOSTILE)
			.click("Override")
			.shows("login is overridden: 5 in 2 minutes, burst 40 (token bucket), mode enforce.")
			.shows("5 in 2 minutes")
			.shows("for another 2 hours")
			.shows("in this instance, until it stops")
			.shows(HOSTILE);
		assertThat(registry.overrides().inForce()).singleElement().satisfies((each) -> {
			assertThat(each.override().limits()).singleElement()
				.satisfies((limit) -> assertThat(limit.limit()).isEqualTo(5));
			assertThat(each.override().reason()).isEqualTo(HOSTILE);
		});
		this.tab.click("Take back the override of login")
			.shows("20 a minute, burst 40 (token bucket) is then in force again")
			.click("Take back")
			.shows("The override of login was taken back.")
			.until("!document.querySelector('#overrides')");
		assertThat(registry.overrides().inForce()).isEmpty();
	}

	@Test
	void everyAlgorithmIsOfferedForAnOverrideByItsName() {
		this.tab.go(page).click("Override its numbers");
		assertThat(
				this.tab.string("[...document.querySelectorAll('[name=algorithm] option')].map((o) => o.text).join()")
					.split(","))
			.containsExactlyInAnyOrder(Stream
				.concat(Stream.of("as defined: token-bucket"),
						Stream.of(RateLimitAlgorithm.values()).map(RateLimitAlgorithm::id))
				.toArray(String[]::new));
	}

	@ParameterizedTest
	@CsvSource({ "Limit, 5, window", "Burst, 50, limit", "in each, 1h, limit" })
	void nothingThatIsTypedIsLeftOutAndNothingIsGuessed(String field, String text, String missing) {
		this.tab.go(page).click("Override its numbers").fill(field, text);
		this.tab.choose("Mode", "shadow").click("Override").shows("That failed.").shows("$.limits[0]." + missing);
		assertThat(registry.overrides().inForce()).isEmpty();
	}

	@Test
	void mistakeIsExplained() {
		this.tab.go(page)
			.click("Override its numbers")
			.fill("Limit", "5")
			.fill("in each", "soon")
			.click("Override")
			.shows("That failed.")
			.shows("$.limits[0].window");
		assertThat(registry.overrides().inForce()).isEmpty();
	}

	@Test
	void whatClientsSendStaysText() {
		registry.overrides()
			.put(RateLimitOverride.of("login")
				.key(HOSTILE)
				.limit(registry.policy("login").policy().limits().get(0))
				.reason(HOSTILE)
				.build());
		this.tab.answering("rejected", REJECTED)
			.go(page)
			.shows("key " + HOSTILE + " of login")
			.shows("<b>bold</b>")
			.fill("Key, as", HOSTILE)
			.click("Look up")
			.shows(HOSTILE + " has 40 permits left");
		assertThat(this.tab.number("document.querySelectorAll('.policy img, .policy b, table img').length")).isZero();
		assertThat(this.tab.string("document.title")).isEqualTo("Rate limits");
	}

	@Test
	void adviceIsChosenWithASliderAndCopied() {
		this.tab.answering("advice", ADVICE)
			.go(page)
			.shows("20 a minute, burst 40: 0.3 % of callers, 1.2 % of requests would have been rejected; observed 3 days, 41,000 callers")
			.shows("Only three days were observed.")
			.shows("mode: shadow");
		this.tab.run("document.querySelector('.policy input[type=range]').focus()");
		this.tab.press(Keys.ARROW_RIGHT).shows("burst 80: 0.1 % of callers");
		this.tab.withClipboard().click("Copy").shows("Copied.");
		assertThat(this.tab.string("navigator.clipboard.readText()"))
			.isEqualTo("ratelimit:\n  policies:\n    login:\n      mode: shadow\n");
	}

	@Test
	void curveStartsAtWhatThePolicyHasWithoutASuggestion() {
		this.tab.answering("advice", NO_ADVICE)
			.go(page)
			.shows("20 a minute, burst 40: 0.3 % of callers, 1.2 % of requests would have been rejected; observed 2 minutes, 3 callers")
			.shows("No suggestion yet. Too few callers were observed.");
	}

	@Test
	void mostRejectedKeysAreLookedUpWithAClick() {
		this.tab.answering("rejected", REJECTED)
			.go(page)
			.shows("31, or up to 4 fewer")
			.click("203.0.113.7")
			.shows("203.0.113.7 has ");
	}

	@Test
	void sameRejectedKeyIsLookedUpAgain() {
		registry.reset("login", "203.0.113.7");
		this.tab.answering("rejected", REJECTED).go(page).click("203.0.113.7").shows("203.0.113.7 has 40 permits left");
		this.tab.fill("Key, as", "ada").click("Look up").shows("ada has 40 permits left");
		registry.decide("login", "203.0.113.7", 2);
		this.tab.click("203.0.113.7").shows("203.0.113.7 has 38 permits left");
	}

	@Test
	void keyThatIsCutOffIsNotLookedUpAsAnother() {
		String cut = "k".repeat(128);
		this.tab.answering("rejected", """
				{"policy":"login","keys":[{"key":"%s","hash":"9f2c","rejected":412,"error":0}]}""".formatted(cut))
			.go(page)
			.shows(cut + "…");
		assertThat(this.tab.number("document.querySelectorAll('.link').length")).isZero();
	}

	@Test
	void saysHowToSeeWhatOnlyTheAdvisorKnows() {
		this.tab.go(page)
			.shows("Set ratelimit.advice.enabled to true and start the application again to see who is rejected")
			.shows("Set ratelimit.advice.enabled to true and start the application again to see what other numbers would have rejected");
	}

	@Test
	void saysWhyAKeyIsNotLookedUpAndShowsNoOtherOneInItsPlace() {
		this.tab.go(page).fill("Key, as", "ada").click("Look up").shows("ada has 40 permits left");
		this.tab.call("Fetch.enable", Map.of("patterns", List.of(Map.of("urlPattern", "*key=bob*"))));
		this.tab.fill("Key, as", "bob").click("Look up").shows("The application does not answer within 10 seconds.");
		assertThat(this.tab.text()).doesNotContain("has 40 permits left");
		this.tab.call("Fetch.disable", Map.of());
	}

	@Test
	void findingsComeFirst() throws Exception {
		this.tab.answering("ratelimits", withFindings())
			.go(page)
			.shows("Warning RL002 (login): Nobody uses it. Remove it.")
			.shows("is unavailable: connection refused. on-failure decides meanwhile.");
		assertThat(this.tab.string("document.querySelector('.findings a').href"))
			.isEqualTo("https://docs.example/findings.md#rl002");
	}

	@Test
	void saysWhatIsWrongWhileTheApplicationDoesNotAnswer() {
		this.tab.go(page).shows("Policies");
		offline(true);
		this.tab.shows("The application does not answer. This page tries again every 5 seconds. What follows is from");
		offline(false);
		this.tab.until("!document.body.innerText.includes('What follows is from')").shows("20 a minute");
	}

	@Test
	void saysSoWhereverOneHasScrolledWhileAnAnswerHangs() {
		this.tab.size(375, 700).go(page).shows("20 a minute");
		this.tab.call("Fetch.enable", Map.of("patterns", List.of(Map.of("urlPattern", "*/actuator/ratelimits"))));
		this.tab.run("scrollTo(0, document.querySelector('#policy').getBoundingClientRect().top)");
		this.tab.shows("The application does not answer within 10 seconds.")
			.shows("What follows is from")
			.until("(({ top, bottom }) => top >= 0 && bottom < innerHeight)"
					+ "(document.querySelector('[role=alert]').getBoundingClientRect())");
		assertThat(this.tab.number("scrollY")).isPositive();
		this.tab.call("Fetch.disable", Map.of());
		this.tab.until("!document.querySelector('[role=alert]')");
	}

	@Test
	void answerThatALaterOneHasOvertakenIsNotShown() {
		this.tab.call("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
				{
					const before = window.fetch;
					window.fetch = async (...asked) => {
						const answer = await before(...asked);
						if (window.hold && String(asked[0]).endsWith('/ratelimits')) {
							window.hold = false;
							await new Promise((resolve) => window.release = resolve);
						}
						return answer;
					};
				}"""));
		this.tab.go(page).shows("20 a minute, burst 40");
		this.tab.run("window.hold = true; document.dispatchEvent(new Event('visibilitychange'))");
		this.tab.until("window.release")
			.click("Override its numbers")
			.fill("Limit", "5")
			.fill("in each", "2m")
			.click("Override")
			.shows("Overrides in force");
		this.tab.run("window.release(); return new Promise((resolve) => setTimeout(resolve, 500))");
		assertThat(this.tab.text()).contains("Overrides in force");
	}

	/*
	 * The page asks at once when it becomes visible.
	 */
	private void offline(boolean offline) {
		this.tab.call("Network.emulateNetworkConditions",
				Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
		this.tab.run("document.dispatchEvent(new Event('visibilitychange'))");
	}

	@Test
	void asksNobodyElse() {
		this.tab.go(page).until("document.querySelector('.policy figure canvas')");
		assertThat(this.tab.requests()).hasSizeGreaterThan(10)
			.allMatch((url) -> url.startsWith(PageApplication.address(application, "/actuator/ratelimits")));
	}

	@Test
	void withoutPoliciesSaysWhatToDo() {
		this.tab.answering("ratelimits", "{\"store\":\"caffeine\",\"writable\":true,\"policies\":{}}")
			.go(page)
			.shows("There is no policy yet")
			.shows("annotate a method with @RateLimited");
	}

	@ParameterizedTest
	@CsvSource({ "1200, 900, false", "1200, 900, true", "390, 844, false", "390, 844, true" })
	void everybodyCanUseIt(int width, int height, boolean dark) throws Exception {
		registry.overrides()
			.put(RateLimitOverride.of("login")
				.key("ada")
				.limit(registry.policy("login").policy().limits().get(0))
				.reason("a big customer")
				.build());
		this.tab.size(width, height)
			.dark(dark)
			.answering("advice", ADVICE)
			.answering("rejected", REJECTED)
			.answering("ratelimits", withFindings())
			.go(page + "#policy=search")
			.shows("Take back")
			.fill("Key, as", "ada")
			.click("Look up")
			.shows("ada has")
			.click("As a table")
			.click("Override its numbers")
			.until("document.querySelectorAll('.policy figure canvas').length === 2");
		assertAccessible();
		assertThat(this.tab.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
		if (width < 500) {
			this.tab.click("Reset").shows("This cannot be undone");
			assertAccessible();
		}
	}

	@Test
	void noWordIsSplitOnATelephone() throws Exception {
		registry.overrides()
			.put(RateLimitOverride.of("search")
				.key("ada")
				.limit(registry.policy("login").policy().limits().get(0))
				.duration(Duration.ofHours(2))
				.reason("an international customer")
				.build());
		this.tab.size(375, 800)
			.answering("advice", ADVICE)
			.answering("rejected", REJECTED)
			.answering("ratelimits", withFindings())
			.go(page + "#policy=search")
			.shows("Take back")
			.fill("Key, as", "ada")
			.click("Look up")
			.shows("ada has")
			.click("As a table")
			.click("Override its numbers")
			.fill("Limit: requests", "0")
			.until("document.querySelectorAll('.policy figure canvas').length === 2");
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
		assertThat(this.tab.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(375);
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
		this.tab.go(page).until("document.querySelector('.policy figure canvas')");
		StringBuilder reached = new StringBuilder();
		for (int i = 0; i < 12; i++) {
			this.tab.press(Keys.TAB);
			reached.append(this.tab.string(
					"(({ ariaLabel, innerText, tagName }) => (ariaLabel ?? innerText ?? '') + tagName + '\\n')(document.activeElement)"));
		}
		assertThat(reached.toString()).contains("Pause", "login", "search", "As a table", "INPUT", "Look up",
				"Override its numbers");
	}

	@ParameterizedTest
	@CsvSource({ "light, false", "dark, true" })
	void hasItsPictureTaken(String name, boolean dark) throws Exception {
		String directory = System.getProperty("ratelimit.pictures");
		this.tab.size(1000, 1200).dark(dark).answering("advice", ADVICE).go(page).shows("Copy");
		this.tab.until("document.querySelectorAll('.policy figure canvas').length === 2");
		this.tab.size(1000, this.tab
			.number("Math.floor(document.querySelector('.policy pre').getBoundingClientRect().bottom) + 16"));
		byte[] picture = this.tab.picture();
		assertThat(picture).hasSizeLessThan(150_000);
		if (directory != null) {
			Files.write(Path.of(directory, "page-" + name + ".png"), picture);
		}
	}

	private static String withFindings() throws Exception {
		String body = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(page.replace("/page", ""))).build(),
					HttpResponse.BodyHandlers.ofString())
			.body();
		return body.replace("\"findings\":", "\"found\":")
			.replaceFirst("\\{",
					"""
							{"health":{"available":false,"outages":2,"failure":"connection refused"},"findings":[{"code":"RL002","level":"warning","policy":"login","message":"Nobody uses it.",\
							"action":"Remove it.","link":"https://docs.example/findings.md#rl002"},{"code":"RL007","level":"info","policy":null,\
							"message":"One instance.","action":"Nothing to do.","link":"#rl007"}],""");
	}

}
