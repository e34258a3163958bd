package io.github.ratelimit.integration.browser;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page says of the instances that answer it, and of those that do not.
 */
@Tag("slow")
class PageStateTests extends OpenPage {

	@BeforeAll
	static void start() {
		run();
		PageApplication.traffic(application, 3);
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

	/*
	 * The page asks at once when it becomes visible.
	 */
	private void offline(boolean offline) {
		this.tab.call("Network.emulateNetworkConditions",
				Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
		this.tab.run("document.dispatchEvent(new Event('visibilitychange'))");
	}

	@Test
	void showsBothInstancesTogetherOrTheOneThatAnswers() throws Exception {
		String shared = Answers.policies(1)
			.replace("\"findings\"",
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
		// whatever was to become of the answer has happened once another one has come and
		// is drawn
		this.tab.run("""
				window.release();
				return fetch(location.href.replace(/\\/page.*/, '')).then((answer) => answer.text())
					.then(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));""");
		assertThat(this.tab.text()).contains("5 in 2 minutes, burst 40 (token bucket), mode enforce, in this instance");
	}

}
