package io.github.ratelimit.integration.browser;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.policy.RejectedKey;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page shows of one policy, and does to it and its keys.
 */
@Tag("slow")
class PagePolicyTests extends OpenPage {

	@BeforeAll
	static void start() {
		run();
		PageApplication.traffic(application, 130);
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
			.fill("Reason", Answers.HOSTILE)
			.click("Override")
			.shows("login is overridden: 5 in 2 minutes, burst 40 (token bucket), mode enforce.")
			.shows("5 in 2 minutes")
			.shows("for another 2 hours")
			.shows("in this instance, until it stops")
			.shows(Answers.HOSTILE);
		assertThat(registry.overrides().inForce()).singleElement().satisfies((each) -> {
			assertThat(each.override().limits()).singleElement()
				.satisfies((limit) -> assertThat(limit.limit()).isEqualTo(5));
			assertThat(each.override().reason()).isEqualTo(Answers.HOSTILE);
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
	void adviceIsChosenWithASliderAndCopied() {
		this.tab.answering("advice", Answers.ADVICE)
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
		this.tab.answering("advice", Answers.NO_ADVICE)
			.go(login)
			.shows("20 a minute, burst 40: 0.3 % of callers, 1.2 % of requests would have been rejected; observed 2 minutes, 3 callers")
			.shows("No suggestion yet. Too few callers were observed.");
	}

	@Test
	void mostRejectedKeysAreLookedUpWithAClick() {
		this.tab.answering("rejected", Answers.REJECTED)
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
	void saysThatNobodyStandsOutWhereManyCallersAreRejected() {
		this.tab.answering("rejected", "{\"policy\":\"login\",\"keys\":[],\"hour\":[]}")
			.go(login)
			.shows("No key stands out among those that were rejected lately")
			.shows("many callers reach the limit, which may be too low");
	}

	@Test
	void sameRejectedKeyIsLookedUpAgain() {
		registry.reset("login", "203.0.113.7");
		this.tab.answering("rejected", Answers.REJECTED)
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

}
