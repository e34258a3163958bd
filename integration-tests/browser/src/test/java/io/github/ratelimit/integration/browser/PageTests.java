package io.github.ratelimit.integration.browser;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.RejectedKey;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page as people see and use it.
 */
@Tag("slow")
class PageTests {

	private static final JsonMapper JSON = new JsonMapper();

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

	private static final String POLICY = """
			"policy-%d":{"key":"clientAddress","limits":[{"algorithm":"token-bucket","limit":20,"window":60,"burst":20}],
			"appliedTo":[],"mode":"enforce","evictions":0,"requests":{"allowed":1000},"recent":{"allowed":%d,"delayed":0,
			"rejected":%d,"banned":%d,"queue_full":%d,"unavailable":%d,"returned":0,"exceeded":0,"wouldBeRejected":%d}}""";

	/* One policy has rejected for three minutes, another for the whole hour. */
	private static final String HOUR = """
			{"step":60,"end":"2026-03-05T11:00:00Z","policies":{"policy-0":{"rejected":[%s]},
			"policy-1":{"rejected":[%s,100,100,100]}}}""".formatted(String.join(",", Collections.nCopies(60, "1")),
			String.join(",", Collections.nCopies(57, "0")));

	private static ConfigurableApplicationContext application;

	private static RateLimiterRegistry registry;

	private static String page;

	private static String login;

	private Tab tab;

	@BeforeAll
	static void start() {
		Tab.assumeInstalled();
		application = PageApplication.run(Secured.Open.class);
		registry = application.getBean(RateLimiterRegistry.class);
		page = PageApplication.address(application, "/actuator/ratelimits/page");
		login = page + "#/policy/login";
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
			.shows("login 20 a minute")
			.shows("search 600 a minute")
			.shows("Store: caffeine")
			.click("login")
			.shows("20 a minute, burst 40 (token bucket)")
			.shows("rule POST /login")
			.shows("after 200 rejections within 1 minute, for 1 hour")
			.until("location.hash === '#/policy/login' && document.title === 'login – Rate limits'");
		this.tab.go(page + "#/policy/search")
			.shows("600 a minute")
			.shows("rule /search/**, key header('X-Api-Key')")
			.shows("Key, as header('X-Api-Key') computes it")
			.shows("In shadow")
			.shows("would be rejected");
	}

	@Test
	void backLeadsToTheTableAsItWasLeftAndALinkToWhatItShows() {
		this.tab.go(page).fill("Filter", "login").shows("1 of 2 policies").click("Share");
		this.tab.until("location.hash === '#/?find=login&sort=share'").click("login").shows("rule POST /login");
		this.tab.run("history.back()");
		this.tab.shows("1 of 2 policies").until("location.hash === '#/?find=login&sort=share'");
		assertThat(this.tab.string("document.activeElement.innerText")).isEqualTo("login");
		this.tab.run("history.forward()");
		this.tab.shows("rule POST /login");
		String link = this.tab.string("location.href");
		this.tab.go("about:blank").go(link).shows("rule POST /login");
		this.tab.go("about:blank").go(page + "#/?find=sea&sort=-name").shows("1 of 2 policies");
		assertThat(this.tab.shown("Filter")).isEqualTo("sea");
		assertThat(rows()).containsExactly("search");
		assertThat(this.tab.string("document.querySelector('[aria-sort]').ariaSort")).isEqualTo("descending");
	}

	@Test
	void worstComesFirstAndEachColumnSortsBothWays() throws Exception {
		this.tab.answering("ratelimits", policies(5)).answering("history", HOUR).go(page).shows("5 policies");
		assertThat(rows()).containsExactly("policy-4", "policy-3", "policy-2", "policy-1", "policy-0");
		this.tab.click("Policy");
		assertThat(rows()).containsExactly("policy-0", "policy-1", "policy-2", "policy-3", "policy-4");
		this.tab.click("Policy");
		assertThat(rows()).containsExactly("policy-4", "policy-3", "policy-2", "policy-1", "policy-0");
		this.tab.click("Last hour");
		assertThat(rows()).startsWith("policy-1", "policy-0");
		this.tab.click("Share");
		assertThat(rows()).startsWith("policy-4");
		this.tab.click("In shadow").click("In shadow");
		assertThat(rows()).endsWith("policy-2");
		this.tab.click("Rejected");
		assertThat(rows()).startsWith("policy-4");
	}

	private List<String> rows() {
		return this.tab
			.run("return [...document.querySelectorAll('.policies tbody th a')].map((each) => each.innerText)");
	}

	@Test
	void saysWhatRejectsAndSinceWhen() throws Exception {
		this.tab.answering("ratelimits", policies(5)).answering("history", HOUR).go(page);
		this.tab.shows("4 over the limit, 3 store unavailable, 2 queue full and 1 banned")
			.until("/none of 100/.test(document.querySelector('.policies tbody tr:last-child').innerText)");
		assertThat(this.tab.string(
				"document.querySelector('.policies svg[aria-label^=\"0 allowed, 300 rejected\"] .rejected').getAttribute('d')"))
			.isNotEmpty();
		assertThat(this.tab.string("document.querySelector('tr:has([href$=policy-1]) .since').innerText"))
			.isEqualTo("since " + this.tab.string("new Date('2026-03-05T10:57:00Z').toTimeString().slice(0, 5)"));
		assertThat(this.tab.string("document.querySelector('tr:has([href$=policy-0]) .since').innerText"))
			.isEqualTo("for an hour");
		assertThat(this.tab.number("document.querySelectorAll('.since').length")).isEqualTo(2);
	}

	@Test
	void nothingMovesBelowThePointerOrTheKeyboard() {
		this.tab.go(page).shows("login 20 a minute");
		List<String> before = rows();
		String second = before.get(1);
		this.tab.run("document.querySelector('.policies tbody a').focus()");
		for (int i = 0; i < 5000; i++) {
			registry.decide(second, "greedy");
		}
		PageApplication.traffic(application, 1);
		this.tab.run("document.dispatchEvent(new Event('visibilitychange'))");
		this.tab.until("/[1-9],\\d{3}/.test(document.querySelector('tr:has([href$=" + second + "]) .bad')?.innerText)");
		assertThat(rows()).isEqualTo(before);
		this.tab.run("document.activeElement.blur(); document.dispatchEvent(new Event('visibilitychange'))");
		this.tab.until("document.querySelector('.policies tbody a').innerText === '" + second + "'");
		registry.reset(second, "greedy");
	}

	@Test
	void showsFiveHundredPoliciesAtOnce() throws Exception {
		this.tab.answering("ratelimits", policies(500))
			.answering("history", HOUR)
			.go(page)
			.shows("500 policies")
			.fill("Filter", "policy-499")
			.shows("1 of 500 policies");
		this.tab.press(Keys.BACK_SPACE.toString().repeat("policy-499".length()))
			.until("document.querySelectorAll('.policies tbody tr').length === 500");
		assertThat(this.tab.number("document.querySelectorAll('*').length")).isLessThan(500 * 25);
		this.tab.run("document.querySelector('.policies .sort').click()");
		this.tab.until("document.querySelector('.policies tbody a').innerText === 'policy-0'");
	}

	@Test
	void chartShowsWhatWasDecidedAndMoves() {
		this.tab.go(login).until("document.querySelector('.policy figure svg')");
		assertThat(
				this.tab.string("document.querySelector('.policy figure path.rejected:not(.area)').getAttribute('d')"))
			.as("a line that goes up and down")
			.matches("M[\\d.]+ [\\d.]+(V[\\d.]+H[\\d.]+){20,}");
		String before = label();
		assertThat(before).startsWith("In the last 10 minutes: ").contains(" allowed, ").contains(" rejected");
		PageApplication.traffic(application, 3);
		this.tab.until("document.querySelector('.policy figure [role=img]').ariaLabel !== '" + before + "'");
		this.tab.click("As a table").shows("the last");
		assertThat(this.tab.number("document.querySelectorAll('.policy details[open] table tbody tr').length"))
			.isEqualTo(10);
	}

	private String label() {
		return this.tab.string("document.querySelector('.policy figure [role=img]').ariaLabel");
	}

	@Test
	void keyIsResetOnceThatIsConfirmed() {
		for (int i = 0; i < 40; i++) {
			registry.decide("login", "198.51.100.9");
		}
		this.tab.go(login)
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
		this.tab.go(login)
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
		this.tab.go(login).fill("Key, as", "198.51.100.66").click("Look up").shows("is banned for another 1 hour");
		this.tab.click("Unban and reset").click("Reset").shows("40 permits left");
		assertThat(registry.peek("login", "198.51.100.66").banned()).isFalse();
	}

	@Test
	void policyIsOverriddenAndTheOverrideTakenBack() {
		this.tab.go(login)
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
		this.tab.go(login).click("Override its numbers");
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
		this.tab.go(login).click("Override its numbers").fill(field, text);
		this.tab.choose("Mode", "shadow").click("Override").shows("That failed.").shows("$.limits[0]." + missing);
		assertThat(registry.overrides().inForce()).isEmpty();
	}

	@Test
	void mistakeIsExplained() {
		this.tab.go(login)
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
			.go(login)
			.shows("key " + HOSTILE + " of login")
			.shows("<b>bold</b>")
			.fill("Key, as", HOSTILE)
			.click("Look up")
			.shows(HOSTILE + " has 40 permits left");
		assertThat(this.tab.number("document.querySelectorAll('.policy img, .policy b, table img').length")).isZero();
		assertThat(this.tab.string("document.title")).isEqualTo("login – Rate limits");
	}

	@Test
	void whateverTheApplicationTellsStaysText() throws Exception {
		String name = JSON.writeValueAsString(HOSTILE);
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
			this.tab.go("about:blank").go(page + view).until("document.querySelector('#view')").shows(HOSTILE);
			assertThat(this.tab.number("document.querySelectorAll('img').length")).as(view).isZero();
		}
		this.tab.click("Ban " + HOSTILE).shows("Ban " + HOSTILE + " from " + HOSTILE + "?").click("Cancel");
		assertThat(this.tab.number("document.querySelectorAll('img').length")).isZero();
		assertThat(this.tab.string("document.title")).isEqualTo(HOSTILE + " – Rate limits");
	}

	@Test
	void adviceIsChosenWithASliderAndCopied() {
		this.tab.answering("advice", ADVICE)
			.go(login)
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
			.go(login)
			.shows("20 a minute, burst 40: 0.3 % of callers, 1.2 % of requests would have been rejected; observed 2 minutes, 3 callers")
			.shows("No suggestion yet. Too few callers were observed.");
	}

	@Test
	void mostRejectedKeysAreLookedUpWithAClick() {
		this.tab.answering("rejected", REJECTED)
			.go(login)
			.shows("31 or up to 4 fewer")
			.click("203.0.113.7")
			.shows("203.0.113.7 has ");
	}

	@Test
	void keyThatIsNotShownIsBannedByItsHash() {
		for (int i = 0; i < 90; i++) {
			registry.decide("login", "198.51.100.77");
		}
		this.tab.go(login).shows("Hash of the key").until("!document.body.innerText.includes('198.51.100.77')");
		this.tab.shows("Set management.endpoint.ratelimits.show-keys to see the keys themselves.");
		String hash = hash(StoreRateLimiter.of(registry.policy("login")));
		this.tab.click("Ban " + hash).shows("Ban the key with the hash " + hash + " from login?").click("Ban");
		this.tab.shows("198.51.100.77 is banned from login until");
		assertThat(registry.peek("login", "198.51.100.77").banned()).isTrue();
		this.tab.click("End the ban of 198.51.100.77").click("End the ban").shows("has ended");
		assertThat(registry.peek("login", "198.51.100.77").banned()).isFalse();
		registry.reset("login", "198.51.100.77");
	}

	private static String hash(StoreRateLimiter limiter) {
		return limiter.rejectedMostLately()
			.stream()
			.map(RejectedKey::hash)
			.filter((each) -> "198.51.100.77".equals(limiter.rejectedKey(each)))
			.findFirst()
			.orElseThrow();
	}

	@Test
	void sameRejectedKeyIsLookedUpAgain() {
		registry.reset("login", "203.0.113.7");
		this.tab.answering("rejected", REJECTED)
			.go(login)
			.click("203.0.113.7")
			.shows("203.0.113.7 has 40 permits left");
		this.tab.fill("Key, as", "ada").click("Look up").shows("ada has 40 permits left");
		registry.decide("login", "203.0.113.7", 2);
		this.tab.click("203.0.113.7").shows("203.0.113.7 has 38 permits left");
	}

	@Test
	void keyThatIsCutOffIsNotLookedUpAsAnother() {
		String cut = "k".repeat(128);
		this.tab.answering("rejected", """
				{"policy":"login","keys":[{"key":"%s","hash":"9f2c","rejected":412,"error":0}]}""".formatted(cut))
			.go(login)
			.shows(cut + "…");
		assertThat(this.tab.number("document.querySelectorAll('.link').length")).isZero();
	}

	@Test
	void saysHowToSeeWhatOnlyTheAdvisorKnows() {
		this.tab.go(login)
			.shows("Set ratelimit.advice.enabled to true and start the application again to see what other numbers would have rejected");
	}

	@Test
	void saysWhyAKeyIsNotLookedUpAndShowsNoOtherOneInItsPlace() {
		this.tab.go(login).fill("Key, as", "ada").click("Look up").shows("ada has 40 permits left");
		this.tab.call("Fetch.enable", Map.of("patterns", List.of(Map.of("urlPattern", "*key=bob*"))));
		this.tab.fill("Key, as", "bob").click("Look up").shows("The application does not answer within 10 seconds.");
		assertThat(this.tab.text()).doesNotContain("has 40 permits left");
		this.tab.call("Fetch.disable", Map.of());
	}

	@Test
	void findingsAreMarkedInTheTableAndToldInAViewAndBesideTheirPolicy() throws Exception {
		this.tab.answering("ratelimits", withFindings())
			.go(page)
			.shows("is unavailable: connection refused. on-failure decides meanwhile.")
			.shows("Findings 2")
			.shows("1 finding");
		this.tab.click("login").shows("Warning RL002 (login): Nobody uses it. Remove it.");
		this.tab.click("Findings")
			.shows("Note RL007: One instance. Nothing to do.")
			.shows("Warning RL002 (login): Nobody uses it. Remove it.");
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
	void numbersThatAreOldAreGreyAndSayHowOldTheyAre() {
		this.tab.go(page).shows("as of ").shows("20 a minute");
		offline(true);
		this.tab.until("/What follows is from [\\d:]{8}, [1-9]\\d* seconds old/.test(document.body.innerText)");
		String grey = this.tab.string("getComputedStyle(document.querySelector('main')).filter");
		assertThat(grey).isEqualTo("grayscale(1)");
		offline(false);
		this.tab.until("!document.querySelector('[role=alert]')");
		assertThat(this.tab.string("getComputedStyle(document.querySelector('main')).filter")).isEqualTo("none");
	}

	@Test
	void showsBothInstancesTogetherOrTheOneThatAnswers() throws Exception {
		String shared = policies(1).replace("\"findings\"",
				"""
						"instance":{"name":"shop-1:8080","startedAt":"2026-03-05T00:00:00Z","now":"2026-03-05T02:00:00Z"},
						"instances":[{"name":"shop-1:8080","startedAt":"2026-03-05T00:00:00Z","publishedAt":"2026-03-05T02:00:00Z"},
						{"name":"shop-2:8080","startedAt":"2026-03-05T01:00:00Z","publishedAt":"2026-03-05T01:59:20Z"}],"findings\"""")
			.replaceFirst("\"recent\":",
					"""
							"allInstances":{"requests":{"allowed":5000},"recent":{"allowed":50,"delayed":0,"rejected":150,"banned":0,
							"queue_full":0,"unavailable":0,"returned":0,"exceeded":0,"wouldBeRejected":0}},"recent":""");
		this.tab.answering("ratelimits", shared).go(page);
		this.tab.shows("shop-1:8080, runs since Mar 5, 2026")
			.shows("(2 hours)")
			.shows("150 of 200")
			.shows("in all instances");
		this.tab.click("2 instances").shows("shop-1:8080 (which answers)").shows("40 seconds ago");
		this.tab.click("This instance").shows("6 of 100").shows("in this instance");
		this.tab.until("location.hash === '#/?scope=one'")
			.click("policy-0")
			.shows("in this instance: 6 of 100 requests");
		this.tab.click("Both instances").shows("in all instances: 150 of 200 requests");
	}

	@Test
	void saysThatItShowsOneInstanceWhereNoneKnowsOfOthers() {
		this.tab.go(page)
			.shows("This page shows one instance.")
			.shows("With the store caffeine each instance of the application decides and counts by itself");
	}

	@Test
	void saysSoWhereverOneHasScrolledWhileAnAnswerHangs() {
		this.tab.size(375, 700).go(login).shows("As it is defined");
		this.tab.call("Fetch.enable", Map.of("patterns", List.of(Map.of("urlPattern", "*/actuator/ratelimits"))));
		this.tab.run("scrollTo(0, document.querySelector('dl').getBoundingClientRect().top)");
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
		this.tab.go(login).shows("20 a minute, burst 40");
		this.tab.run("window.hold = true; document.dispatchEvent(new Event('visibilitychange'))");
		this.tab.until("window.release")
			.click("Override its numbers")
			.fill("Limit", "5")
			.fill("in each", "2m")
			.click("Override")
			.until("document.querySelector('#overrides')");
		this.tab.run("window.release(); return new Promise((resolve) => setTimeout(resolve, 500))");
		assertThat(this.tab.text()).contains("5 in 2 minutes, burst 40 (token bucket), mode enforce, in this instance");
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
		this.tab.go(login).until("document.querySelector('.policy figure svg')");
		assertThat(this.tab.requests()).hasSizeGreaterThan(10)
			// the browser's own icon in a field for a date
			.filteredOn((url) -> !url.startsWith("data:"))
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
			.answering("advice", ADVICE)
			.answering("rejected", REJECTED)
			.answering("ratelimits", withFindings());
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
	void policiesAreReachedWithTheArrowKeys() {
		this.tab.go(page).shows("login 20 a minute");
		List<String> rows = rows();
		this.tab.fill("Filter", "").press(Keys.ARROW_DOWN);
		assertThat(focused()).startsWith(rows.get(0));
		this.tab.press(Keys.ARROW_DOWN);
		assertThat(focused()).startsWith(rows.get(1));
		this.tab.press(Keys.ARROW_DOWN).press(Keys.ARROW_UP);
		assertThat(focused()).startsWith(rows.get(0));
		this.tab.press(Keys.ENTER).until("document.querySelector('h2#view').innerText === '" + rows.get(0) + "'");
		assertThat(focused()).startsWith(rows.get(0)).contains("H2");
	}

	private String focused() {
		return this.tab.string(
				"(({ ariaLabel, innerText, tagName }) => (ariaLabel ?? innerText ?? '') + tagName)(document.activeElement)");
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

	/* Of which the last is worst, and the third is tried in shadow. */
	private static String policies(int number) {
		return IntStream.range(0, number).mapToObj((i) -> {
			boolean last = i == number - 1;
			int[] others = last ? new int[] { 1, 2, 3 } : new int[3];
			int wouldBeRejected = (i == 2) ? 7 : 0;
			return POLICY.formatted(i, Math.max(0, 100 - i - IntStream.of(others).sum()), i, others[0], others[1],
					others[2], wouldBeRejected);
		})
			.collect(Collectors.joining(",", "{\"store\":\"caffeine\",\"writable\":true,\"findings\":[],\"policies\":{",
					"}}"));
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
