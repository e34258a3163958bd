package io.github.ratelimit.integration.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * What whoever is on call does with the page: finds out who is rejected, and keeps out or
 * lets in.
 */
@Tag("slow")
class PageOperationsTests extends OpenPage {

	private static final String ATTACKER = "203.0.113.99";

	private static final String CUSTOMER = "198.51.100.5";

	@BeforeAll
	static void start() {
		run("ratelimit.instance=shop-1:8080", "management.endpoint.ratelimits.show-keys=always",
				"ratelimit.policies.quota.limits[0].limit=10", "ratelimit.policies.quota.limits[0].window=1s",
				"ratelimit.policies.quota.limits[1].algorithm=fixed-window-counter",
				"ratelimit.policies.quota.limits[1].limit=1000", "ratelimit.policies.quota.limits[1].window=P1M",
				"ratelimit.policies.quota.limits[1].zone=UTC", "ratelimit.policies.quota.key=header('X-Api-Key')",
				"ratelimit.deny.addresses=192.0.2.0/24");
		PageApplication.traffic(application, 700);
		for (int i = 0; i < 150; i++) {
			registry.decide("login", ATTACKER);
		}
		for (int i = 0; i < 45; i++) {
			registry.decide("login", CUSTOMER);
		}
		PageApplication.traffic(application, 1);
	}

	private static RateLimitOverrides.InForce overridden() {
		assertThat(registry.overrides().inForce()).hasSize(1);
		return registry.overrides().inForce().iterator().next();
	}

	private static Instant now() {
		return Instant.EPOCH.plusNanos(application.getBean(ManualClock.class).nanos());
	}

	@Test
	void attackerIsFoundAndBannedAndTheBanIsExtendedAndEnded() {
		this.tab.go(page).shows("login 20 a minute").click("login").shows("One key makes");
		this.tab.click("Ban " + ATTACKER).shows("Ban " + ATTACKER + " from login?").press(Keys.ENTER);
		this.tab.until("!document.querySelector('dialog')");
		assertThat(byHand()).isEmpty();

		this.tab.click("Ban " + ATTACKER)
			.fill("Reason", "guesses passwords")
			.click("Ban")
			.shows(ATTACKER + " is banned from login until")
			.shows("Bans by hand");
		assertThat(byHand()).singleElement().satisfies((each) -> {
			assertThat(each.intervention().target()).isEqualTo(Target.ofKey(Kind.BAN, "login", ATTACKER));
			assertThat(each.intervention().reason()).isEqualTo("guesses passwords");
			assertThat(each.until()).isEqualTo(now().plus(Duration.ofHours(1)));
		});
		assertThat(registry.peek("login", ATTACKER).banned()).isTrue();

		this.tab.click("Policies").shows("1 banned by hand").click("In force").shows("guesses passwords");
		this.tab.click("Extend the ban of " + ATTACKER)
			.fill("For", "for ever")
			.click("Change its end")
			.shows("$.for")
			.fill("For", "3h")
			.click("Change its end")
			.until("!document.querySelector('dialog')");
		assertThat(byHand()).singleElement().satisfies((each) -> {
			assertThat(each.until()).isEqualTo(now().plus(Duration.ofHours(3)));
			assertThat(each.intervention().reason()).isEqualTo("guesses passwords");
		});

		this.tab.click("End the ban of " + ATTACKER)
			.shows("is then limited by login as others are")
			.click("End the ban")
			.shows("The ban of " + ATTACKER + " from login has ended.");
		assertThat(byHand()).isEmpty();
		assertThat(registry.peek("login", ATTACKER).banned()).isFalse();
	}

	@Test
	void keyThatIsLookedUpIsBannedAndSetFree() {
		this.tab.go(page + "#/policy/login")
			.fill("Key, as", "ada")
			.click("Look up")
			.shows("ada has 40 permits left")
			.click("Ban this key")
			.fill("For", "2h")
			.click("Ban")
			.shows("ada is banned for another 2 hours")
			.shows("It is banned by hand");
		assertThat(registry.peek("login", "ada").banned()).isTrue();
		this.tab.click("End the ban of this key").click("End the ban").shows("ada has 40 permits left");
		assertThat(registry.peek("login", "ada").banned()).isFalse();
	}

	@Test
	void customerGetsTenTimesAsMuchUntilADayThatIsChosen() {
		LocalDateTime monday = LocalDateTime.ofInstant(now(), ZoneOffset.UTC).plusDays(5).truncatedTo(ChronoUnit.DAYS);
		this.tab.call("Emulation.setTimezoneOverride", Map.of("timezoneId", "UTC"));
		this.tab.go(page + "#/policy/login")
			.click("Override " + CUSTOMER)
			.until("document.activeElement.name === 'times'")
			.choose("Numbers", "ten times as much")
			.shows("That is 200 a minute, burst 400 (token bucket).")
			.fill("Reason", "a sale")
			.run("document.querySelector('form [name=until]').value = arguments[0]", monday.toString());
		this.tab.click("Override").shows("the key " + CUSTOMER + " of login is overridden: 200 a minute, burst 400");
		RateLimitOverrides.InForce inForce = overridden();
		assertThat(inForce.override().target()).isEqualTo(new RateLimitOverride.Target("login", null, CUSTOMER));
		assertThat(inForce.override().limits()).containsExactly(RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
			.limit(200)
			.window(Duration.ofMinutes(1))
			.burst(400L)
			.build());
		assertThat(inForce.until()).isCloseTo(monday.toInstant(ZoneOffset.UTC), within(30, ChronoUnit.SECONDS));

		this.tab.click("Take back the override").click("Take back").shows("was taken back");
		assertThat(registry.overrides().inForce()).isEmpty();
	}

	@Test
	void allLimitsOfAPolicyAreRaisedTogetherAndStayWhenTheEndChanges() {
		this.tab.go(page + "#/policy/quota").click("Override its numbers").choose("Numbers", "half as much");
		this.tab.fill("For", "2h").click("Override").shows("quota is overridden: ");
		List<RateLimit> defined = registry.policy("quota").policy().limits();
		assertThat(overridden().override().limits()).extracting(RateLimit::limit).containsExactly(5L, 500L);
		assertThat(overridden().override().limits().get(1).calendar()).isEqualTo(defined.get(1).calendar());
		List<RateLimit> halved = overridden().override().limits();

		this.tab.click("Extend the override of quota").fill("For", "5h").click("Change its end");
		this.tab.until("!document.querySelector('dialog')");
		assertThat(overridden().override().limits()).isEqualTo(halved);
		assertThat(overridden().until()).isEqualTo(now().plus(Duration.ofHours(5)));
	}

	@Test
	void whatSomebodyElseHasChangedMeanwhileIsNotOverwritten() {
		RateLimitOverride.Builder override = RateLimitOverride.of("quota")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 3, Duration.ofHours(1)));
		registry.overrides().put(override.duration(Duration.ofHours(1)).build());
		this.tab.go(page + "#/in-force").click("Extend the override of quota").fill("For", "5h");
		registry.overrides().put(override.duration(Duration.ofHours(9)).build());
		this.tab.click("Change its end").shows("That failed.").until("document.querySelector('dialog [role=alert]')");
		assertThat(overridden().until()).isEqualTo(now().plus(Duration.ofHours(9)));
	}

	@ParameterizedTest
	@CsvSource({ "Deny, DENY, Denied", "Exempt, EXEMPT, Exempt" })
	void addressesAndKeysAreListedAndRemoved(String verb, Kind kind, String title) {
		this.tab.go(page + "#/in-force").shows("192.0.2.0/24").shows("configured as ratelimit.deny");
		this.tab.click(verb + " an address")
			.fill("Address", "everybody")
			.click("Put in force")
			.until("document.querySelector('dialog [role=alert]')")
			.fill("Address", "198.51.100.0/24")
			.fill("For", "1d")
			.fill("Reason", "a test")
			.click("Put in force")
			.shows(title + ": 198.51.100.0/24.");
		assertThat(byHand()).singleElement().satisfies((each) -> {
			RateLimitIntervention intervention = each.intervention();
			assertThat(intervention.target()).isEqualTo(Target.ofAddress(kind, "198.51.100.0/24"));
			assertThat(intervention.reason()).isEqualTo("a test");
			assertThat(each.until()).isEqualTo(now().plus(Duration.ofDays(1)));
		});
		this.tab.click("Remove 198.51.100.0/24").click("Remove").shows(title + " no longer: 198.51.100.0/24.");
		assertThat(byHand()).isEmpty();

		this.tab.click(verb + " a key")
			.choose("Policy", "quota")
			.fill("Key", "acme")
			.click("Put in force")
			.shows(title + ": the key acme of quota.");
		assertThat(byHand()).singleElement().satisfies((each) -> {
			assertThat(each.intervention().target()).isEqualTo(Target.ofKey(kind, "quota", "acme"));
			assertThat(each.until()).isNull();
		});
		this.tab.click("Remove the key acme of quota").click("Remove").shows(title + " no longer: the key acme");
		assertThat(byHand()).isEmpty();
		this.tab.until("!document.querySelector('[aria-label=\"Remove 192.0.2.0/24\"]')");
	}

	@ParameterizedTest
	@CsvSource({ "light, false", "dark, true" })
	void hasItsPicturesTaken(String name, boolean dark) throws Exception {
		registry.interventions()
			.put(RateLimitIntervention.ban("login", ATTACKER, Duration.ofHours(1), "guesses passwords"));
		registry.overrides()
			.put(RateLimitOverride.of("quota")
				.key("acme")
				.limit(registry.policy("quota").policy().limits().get(0))
				.reason("a sale")
				.duration(Duration.ofDays(3))
				.build());
		this.tab.size(1000, 420).dark(dark).go(page).shows("1 banned by hand").shows("one key overridden");
		take("page-" + name);
		this.tab.size(1000, 900).click("login").shows("One key makes").until("document.querySelector('figure svg')");
		take("policy-" + name);
	}

	private void take(String name) throws Exception {
		byte[] picture = this.tab.picture();
		assertThat(picture).hasSizeLessThan(150_000);
		String directory = System.getProperty("ratelimit.pictures");
		if (directory != null) {
			Files.write(Path.of(directory, name + ".png"), picture);
		}
	}

}
