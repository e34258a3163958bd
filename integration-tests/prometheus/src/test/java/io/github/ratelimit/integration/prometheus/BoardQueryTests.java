package io.github.ratelimit.integration.prometheus;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.integration.fixtures.LocalRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

/**
 * Every query of the dashboard is answered with what the applications did: one whose
 * store is in memory, and one whose Redis has failed.
 * <p>
 * The counters are scraped before the first request, and queries are asked for the moment
 * of a scrape. So nothing is extrapolated, and a rate is exact.
 */
@Tag("slow")
class BoardQueryTests {

	private static final String ALL = ".*";

	private static final Deque<AutoCloseable> STARTED = new ArrayDeque<>();

	private static LimitedApplication local;

	private static LimitedApplication remote;

	private static Prometheus prometheus;

	private static String beforeOutage;

	private static String remoteEnd;

	private static String localEnd;

	@BeforeAll
	static void run(@TempDir Path directory) throws Exception {
		Prometheus.assumeInstalled("prometheus", "the queries of the dashboard");
		LocalRedis redis = started(LocalRedis.start());
		remote = started(new LimitedApplication("remote", redis.property()));
		local = started(new LimitedApplication("local"));
		prometheus = started(Prometheus.start(directory, List.of(remote.instance(), local.instance())));
		prometheus.awaitScrape(remote.instance());
		prometheus.awaitScrape(local.instance());
		useRemote();
		useLocal();
		beforeOutage = prometheus.awaitScrape(remote.instance());
		redis.close();
		useWithoutRedis();
		remoteEnd = prometheus.awaitScrape(remote.instance());
		localEnd = prometheus.awaitScrape(local.instance());
	}

	@AfterAll
	static void close() throws Exception {
		while (!STARTED.isEmpty()) {
			STARTED.pop().close();
		}
	}

	private static void useRemote() throws Exception {
		remote.get(4, "/shared");
		remote.get(1, "/strict");
		remote.get(3, "/tried");
		await().atMost(Duration.ofMinutes(1)).until(() -> shadow("allowed") + shadow("rejected") == 3);
	}

	private static void useLocal() throws Exception {
		local.get(5, "/api");
		local.get(2, "/both");
		local.get(3, "/scanner");
		local.get(1, "/uploads");
		local.send("/uploads");
		await().atMost(Duration.ofMinutes(1)).until(() -> local.measured("ratelimit.waiting") == 1);
		local.get(1, "/uploads");
		local.get(2, "/login?status=401");
		local.get(1, "/login");
		await().atMost(Duration.ofMinutes(1)).until(() -> settled("kept") + settled("returned") == 3);
		local.get(2, "/broken");
		local.get(1, "/planned");
		for (int visitor = 0; visitor < 150; visitor++) {
			local.visit("/visitors", "visitor " + visitor);
		}
		await().atMost(Duration.ofMinutes(1))
			.until(() -> local.measured("ratelimit.keys", "policy", "visitors") <= 100);
	}

	private static void useWithoutRedis() throws Exception {
		remote.get(2, "/shared");
		remote.get(2, "/strict");
		remote.get(2, "/tried");
		await().atMost(Duration.ofMinutes(1))
			.until(() -> remote.measured("ratelimit.shadow.dropped", "policy", "tried") == 2);
		await().atMost(Duration.ofMinutes(1)).until(() -> remote.measured("ratelimit.store.outages") == 1);
	}

	static Stream<Board.Query> queries() {
		return Board.queries();
	}

	@ParameterizedTest
	@MethodSource("queries")
	void showsWhatHappened(Board.Query query) throws Exception {
		assertThat(answers(query.text(ALL))).anySatisfy((series) -> assertThat(series.value()).isPositive())
			.allSatisfy((series) -> assertThat(series.name(query.legend())).doesNotContain("{{"));
	}

	@ParameterizedTest
	@MethodSource("queries")
	void otherPoliciesAreLeftOut(Board.Query query) throws Exception {
		if (query.expression().contains("$policy")) {
			assertThat(prometheus.ask(query.text("none"), localEnd)).isEmpty();
		}
	}

	@Test
	void outcomesOfAPolicy() throws Exception {
		assertThat(local("Requests by outcome", "api")).containsOnly(entry("allowed", 3.0), entry("rejected", 2.0));
		assertThat(local("Requests by outcome", "wide")).containsOnly(entry("allowed", 2.0), entry("returned", 1.0));
		assertThat(local("Requests by outcome", "uploads")).containsOnly(entry("allowed", 1.0), entry("delayed", 1.0),
				entry("rejected", 1.0));
		assertThat(remote("Requests by outcome", "shared")).containsOnly(entry("allowed", 5.0), entry("rejected", 1.0));
		assertThat(remote("Requests by outcome", "strict")).containsOnly(entry("allowed", 1.0),
				entry("unavailable", 2.0));
	}

	@Test
	void outcomesOfAllPolicies() throws Exception {
		assertThat(local("Requests by outcome", "api|narrow|scanner")).containsOnly(entry("allowed", 5.0),
				entry("rejected", 4.0), entry("banned", 1.0));
	}

	@Test
	void rejections() throws Exception {
		assertThat(local("Share rejected by policy", "api|narrow|scanner|wide|login")).containsOnly(entry("api", 0.4),
				entry("narrow", 0.5), entry("scanner", 0.666667));
		assertThat(remote("Share rejected by policy", "strict")).containsOnly(entry("strict", 0.666667));
		assertThat(local("Policies that reject most", "api|narrow|scanner|wide")).containsOnly(entry("api", 2.0),
				entry("narrow", 1.0), entry("scanner", 2.0));
		assertThat(local("Rejections by reason", "api|scanner")).containsOnly(entry("rejected", 3.0),
				entry("banned", 1.0));
		assertThat(remote("Rejections by reason", "strict")).containsOnly(entry("unavailable", 2.0));
	}

	@Test
	void delays() throws Exception {
		assertThat(local("Delayed requests", ALL)).containsOnly(entry("uploads", 1.0));
		assertThat(local("Length of delays", ALL)).containsOnlyKeys("uploads: mean", "uploads: longest")
			.allSatisfy((series, seconds) -> assertThat(seconds).isBetween(3000.0, 3600.0));
		assertThat(local("Waiting now", ALL)).containsEntry(local.instance() + ": waiting", 1.0)
			.containsEntry(local.instance() + ": maximum", 50.0)
			.doesNotContainKey(remote.instance() + ": waiting");
	}

	@Test
	void shadowBesideWhatIsEnforced() throws Exception {
		assertThat(local("Share rejected, in shadow and enforced", "api|narrow"))
			.containsOnly(entry("api: enforce", 0.4), entry("api: shadow", 0.8));
		assertThat(remote("Share rejected, in shadow and enforced", "tried"))
			.containsOnly(entry("tried: shadow", 0.666667));
		assertThat(remote("Dropped decisions in shadow", ALL)).containsOnly(entry("tried", 2.0));
	}

	@Test
	void store() throws Exception {
		assertThat(series("Store", ALL, beforeOutage)).containsOnly(entry(remote.instance(), 1.0));
		assertThat(prometheus.ask(query("Store").text(ALL), remoteEnd)).singleElement()
			.satisfies((series) -> assertThat(series.value()).isZero());
		assertThat(remote("Outages", ALL)).containsOnly(entry(remote.instance(), 1.0));
		assertThat(remote("Fallbacks", ALL)).containsOnly(entry("shared", 2.0), entry("strict", 2.0));
	}

	@Test
	void keys() throws Exception {
		assertThat(local("Keys with a state", "visitors"))
			.containsOnly(entry("visitors", local.measured("ratelimit.keys", "policy", "visitors")));
		assertThat(remote("Keys with a state", "shared")).isEmpty();
		assertThat(local("Evictions", "visitors"))
			.containsOnly(entry("visitors", local.measured("ratelimit.evictions", "policy", "visitors")));
	}

	@Test
	void chargesExpressionsAndPlans() throws Exception {
		assertThat(local("Settlements", ALL)).containsOnly(entry("kept", 2.0), entry("returned", 1.0));
		assertThat(local("Failed expressions", ALL)).containsOnly(entry("broken: key", 2.0));
		assertThat(local("Unknown plans", ALL)).containsOnly(entry("planned", 1.0));
	}

	@Test
	void everyMetricIsOnTheBoard() throws Exception {
		List<String> metrics = prometheus.values("__name__", "{__name__=~\"ratelimit_.+\"}");
		String board = String.join("\n", Board.queries().map(Board.Query::expression).toList());
		assertThat(metrics).hasSizeGreaterThan(10).allSatisfy((metric) -> assertThat(board).contains(metric + "{"));
	}

	@Test
	void policiesCanBeChosen() throws Exception {
		assertThat(prometheus.values("policy", "ratelimit_requests_total{job=~\".*\"}")).contains("api", "tried");
		assertThat(prometheus.values("job", "ratelimit_requests_total")).containsExactly("shop");
	}

	/*
	 * What the rules of alerts ask for is what the applications publish: of each metric
	 * and its labels there is a series.
	 */
	@Test
	void rulesOfAlertsAskForWhatThereIs() throws Exception {
		String rules = Files.readString(AlertRuleTests.RULES);
		List<String> selectors = Pattern.compile("ratelimit_\\w+(\\{[^}]*})?")
			.matcher(rules)
			.results()
			.map((selector) -> selector.group().replace("}", ",job=\"shop\"}"))
			.distinct()
			.toList();
		assertThat(selectors).hasSizeGreaterThan(5)
			.allSatisfy((selector) -> assertThat(answers(selector)).as(selector).isNotEmpty());
	}

	private static List<Prometheus.Series> answers(String query) throws Exception {
		List<Prometheus.Series> answers = new ArrayList<>();
		for (String time : List.of(beforeOutage, remoteEnd, localEnd)) {
			answers.addAll(prometheus.ask(query, time));
		}
		return answers;
	}

	private static double settled(String outcome) {
		return local.measured("ratelimit.settlements", "policy", "login", "outcome", outcome);
	}

	private static double shadow(String outcome) {
		return remote.measured("ratelimit.requests", "policy", "tried", "mode", "shadow", "outcome", outcome);
	}

	private static Map<String, Double> local(String panel, String policy) throws Exception {
		return series(panel, policy, localEnd);
	}

	private static Map<String, Double> remote(String panel, String policy) throws Exception {
		return series(panel, policy, remoteEnd);
	}

	/*
	 * By their names, without those to which nothing happened. Rates as numbers, and
	 * shares to six digits.
	 */
	private static Map<String, Double> series(String panel, String policy, String time) throws Exception {
		Map<String, Double> all = new TreeMap<>();
		for (Board.Query query : Board.queries().filter((each) -> each.panel().equals(panel)).toList()) {
			for (Prometheus.Series series : prometheus.ask(query.text(policy), time)) {
				double value = series.value() * (query.isPerSecond() ? Board.INTERVAL_SECONDS : 1);
				assertThat(all).doesNotContainKey(series.name(query.legend()));
				all.put(series.name(query.legend()), Math.round(value * 1e6) / 1e6);
			}
		}
		assertThat(Board.queries().map(Board.Query::panel)).contains(panel);
		all.values().removeIf((value) -> value == 0);
		return all;
	}

	private static Board.Query query(String panel) {
		return Board.queries().filter((each) -> each.panel().equals(panel)).findFirst().orElseThrow();
	}

	private static <T extends AutoCloseable> T started(T server) {
		STARTED.push(server);
		return server;
	}

}
