package io.github.ratelimit.integration.browser;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of policies, and what lies beside it.
 */
@Tag("slow")
class PageTableTests extends OpenPage {

	@BeforeAll
	static void start() {
		run();
		PageApplication.traffic(application, 130);
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
		this.tab.answering("ratelimits", Answers.policies(5))
			.answering("history", Answers.HOUR)
			.go(page)
			.shows("5 policies");
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

	@Test
	void saysWhatRejectsAndSinceWhen() throws Exception {
		this.tab.answering("ratelimits", Answers.policies(5)).answering("history", Answers.HOUR).go(page);
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
		this.tab.answering("ratelimits", Answers.policies(500))
			.answering("history", Answers.hour(500))
			.go(page)
			.shows("500 policies")
			.until("document.querySelectorAll('.policies tbody tr').length === 500")
			.until("document.querySelectorAll('.policies .small .rejected').length > 400");
		// of which the time depends that the browser takes to show them
		assertThat(this.tab.number("document.querySelectorAll('.policies tbody *').length")).isLessThan(500 * 18);
		this.tab.run("window.row = document.querySelector('tr:has([href$=policy-499])')");
		this.tab.fill("Filter", "policy-499").shows("1 of 500 policies");
		assertThat(rows()).containsExactly("policy-499");
		this.tab.press(Keys.BACK_SPACE.toString().repeat("policy-499".length()))
			.until("document.querySelectorAll('.policies tbody tr').length === 500");
		this.tab.run("document.querySelector('.policies .sort').click()");
		this.tab.until("document.querySelector('.policies tbody a').innerText === 'policy-0'");
		assertThat(rows()).hasSize(500).startsWith("policy-0", "policy-1", "policy-10");
		assertThat(this.tab.<Boolean>run("return window.row === document.querySelector('tr:has([href$=policy-499])')"))
			.as("a line is moved, and not built again")
			.isTrue();
	}

	@Test
	void findingsAreMarkedInTheTableAndToldInAViewAndBesideTheirPolicy() throws Exception {
		this.tab.answering("ratelimits", Answers.withFindings(page))
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
	void withoutPoliciesSaysWhatToDo() {
		this.tab.answering("ratelimits", "{\"store\":\"caffeine\",\"writable\":true,\"policies\":{}}")
			.go(page)
			.shows("There is no policy yet")
			.shows("annotate a method with @RateLimited");
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

	private List<String> rows() {
		return this.tab
			.run("return [...document.querySelectorAll('.policies tbody th a')].map((each) => each.innerText)");
	}

}
