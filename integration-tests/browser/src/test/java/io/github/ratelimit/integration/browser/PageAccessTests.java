package io.github.ratelimit.integration.browser;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page where it may not change anything, at another address, and beside Spring
 * Security.
 */
@Tag("slow")
class PageAccessTests {

	@Test
	void hidesChangesWhereTheyAreNotPermittedOnWhicheverPortAndPath() {
		try (ConfigurableApplicationContext application = PageApplication.run(Secured.Open.class,
				"management.server.port=0", "management.server.address=127.0.0.1", "management.server.base-path=/ops",
				"management.endpoints.web.base-path=/", "management.endpoints.web.path-mapping.ratelimits=limits",
				"management.endpoint.ratelimits.access=read-only"); Tab tab = Tab.open()) {
			PageApplication.traffic(application, 3);
			tab.go(PageApplication.address(application, "/ops/limits/page#/policy/login"))
				.shows("20 a minute, burst 40")
				.until("document.querySelector('.policy figure svg')")
				.fill("Key, as", "ada")
				.click("Look up")
				.shows("ada has 40 permits left");
			assertThat(tab.<List<String>>run(
					"return [...document.querySelectorAll('main button, summary')].map((each) => each.innerText)"))
				.containsExactly("10 minutes", "One hour", "As a table", "In the last 30 to 60 minutes",
						"Since the start", "Look up");
			assertThat(tab.text()).contains("Read-only. Nothing can be changed here",
					"management.endpoint.ratelimits.access: unrestricted");
			assertThat(tab.problems()).isEmpty();
			assertThat(tab.requests()).isNotEmpty()
				.allMatch((url) -> url.startsWith(PageApplication.address(application, "/ops/limits")));
		}
	}

	@Test
	void showsNothingToThoseWhoAreNotSignedInAnyMore() {
		try (ConfigurableApplicationContext application = PageApplication.run(Secured.CookieTokens.class,
				"spring.security.user.name=admin", "spring.security.user.password=secret"); Tab tab = Tab.open()) {
			tab.sending("Authorization", basic("admin:secret"))
				.go(PageApplication.address(application, "/actuator/ratelimits/page"))
				.shows("20 a minute")
				.sending("Authorization", basic("admin:changed"))
				.shows("You are not signed in. Reload this page to sign in.");
			assertThat(tab.text()).doesNotContain("20 a minute", "Policies", "What follows");
		}
	}

	@Test
	void saysWhoMaySeeItToThoseWhoMayNot() {
		try (ConfigurableApplicationContext application = PageApplication.run(Secured.Roles.class);
				Tab tab = Tab.open()) {
			tab.sending("Authorization", basic("operator:secret"))
				.go(PageApplication.address(application, "/actuator/ratelimits/page"))
				.shows("20 a minute")
				.sending("Authorization", basic("guest:secret"))
				.shows("You are not permitted to see this. Sign in as somebody who is, and reload this page.");
			assertThat(tab.text()).doesNotContain("20 a minute", "What follows");
		}
	}

	@Test
	void saysThatOneHasToSignInWhereTheApplicationLeadsToItsLoginPage() {
		try (ConfigurableApplicationContext application = PageApplication.run(Secured.LoginPage.class,
				"spring.security.user.name=admin", "spring.security.user.password=secret"); Tab tab = Tab.open()) {
			tab.go(PageApplication.address(application, "/actuator/ratelimits/page"))
				.until("document.activeElement.id === 'username'")
				.press("admin")
				.press(Keys.TAB)
				.press("secret")
				.press(Keys.ENTER)
				.shows("20 a minute");
			tab.call("Network.clearBrowserCookies", Map.of());
			tab.shows("You are not signed in. Reload this page to sign in.");
			assertThat(tab.text()).doesNotContain("20 a minute", "What follows");
		}
	}

	private static String basic(String credentials) {
		return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
	}

	@ParameterizedTest
	@ValueSource(classes = { Secured.SessionTokens.class, Secured.CookieTokens.class })
	void sendsTheTokenThatSpringSecurityWants(Class<?> security) {
		try (ConfigurableApplicationContext application = PageApplication.run(security,
				"spring.security.user.name=admin", "spring.security.user.password=secret",
				"server.servlet.context-path=/shop", "ratelimit.policies.login.limits[1].limit=1000",
				"ratelimit.policies.login.limits[1].window=1d"); Tab tab = Tab.open()) {
			RateLimiterRegistry registry = application.getBean(RateLimiterRegistry.class);
			registry.decide("login", "ada");
			tab.sending("Authorization", basic("admin:secret"))
				.go(PageApplication.address(application, "/shop/actuator/ratelimits/page#/policy/login"))
				.fill("Key, as", "ada")
				.click("Look up")
				.shows("ada has 39 permits left")
				.click("Reset")
				.click("Reset")
				.shows("The key ada of login was reset.");
			assertThat(registry.peek("login", "ada").remaining()).isEqualTo(40);
			tab.click("Override its numbers")
				.shows("A new limit replaces all 2 of these.")
				.fill("Limit", "7")
				.fill("in each", "1h")
				.click("Override")
				.shows("7 an hour")
				.shows("(admin)");
			tab.click("Take back the override").click("Take back").shows("was taken back");
		}
	}

}
