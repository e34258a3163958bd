package io.github.ratelimit.integration.browser;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitAlgorithm.Setting;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.support.DurationText;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the controls of the page show is what is in force afterwards, as the application
 * has it.
 */
@Tag("slow")
class PageControlsTests extends OpenPage {

	private static final JsonMapper JSON = new JsonMapper();

	private static final String[] POLICIES = { "bucket", "large-bucket", "queue", "slow-queue", "window", "log" };

	@BeforeAll
	static void start() {
		run("ratelimit.advice.enabled=true", "ratelimit.policies.charged.charge=authenticationFailed",
				"ratelimit.policies.charged.algorithm=sliding-window-log", "ratelimit.policies.charged.limit=20",
				"ratelimit.policies.charged.window=1m", "ratelimit.policies.bucket.limit=20",
				"ratelimit.policies.bucket.window=1m", "ratelimit.policies.bucket.plan=header('X-Plan')",
				"ratelimit.policies.bucket.plans.pro.limit=100", "ratelimit.policies.bucket.plans.pro.window=1m",
				"ratelimit.policies.bucket.plans.pro.algorithm=sliding-window-counter",
				"ratelimit.policies.bucket.plans.free.limit=5", "ratelimit.policies.bucket.plans.free.window=1m",
				"ratelimit.policies.queue.algorithm=leaky-bucket", "ratelimit.policies.queue.limit=10",
				"ratelimit.policies.queue.window=1s", "ratelimit.policies.queue.burst=5",
				"ratelimit.policies.queue.nodelay=true", "ratelimit.policies.slow-queue.algorithm=leaky-bucket",
				"ratelimit.policies.slow-queue.limit=10", "ratelimit.policies.slow-queue.window=1s",
				"ratelimit.policies.slow-queue.burst=8", "ratelimit.policies.slow-queue.delay=4",
				"ratelimit.policies.large-bucket.limit=20", "ratelimit.policies.large-bucket.window=1m",
				"ratelimit.policies.large-bucket.burst=60", "ratelimit.policies.window.algorithm=fixed-window-counter",
				"ratelimit.policies.window.limit=20", "ratelimit.policies.window.window=1m",
				"ratelimit.policies.window.mode=shadow", "ratelimit.policies.log.algorithm=sliding-window-log",
				"ratelimit.policies.log.limit=20", "ratelimit.policies.log.window=1m",
				"ratelimit.policies.log.count-rejected=true");
		for (int i = 0; i < 150; i++) {
			registry.decide("charged", "user-" + i % 30);
		}
		PageApplication.traffic(application, 150);
	}

	@Test
	void planAndAlgorithmAndModeThatAreChosenAreInForce() {
		this.tab.go(page + "#/policy/bucket")
			.click("Override its numbers")
			.choose("Only for the plan", "pro")
			.fill("Limit", "5")
			.fill("in each", "1m")
			.choose("Algorithm", "sliding-window-log")
			.choose("Mode", "shadow")
			.click("Override")
			.shows("the plan pro of bucket is overridden: 5 a minute (sliding window log), mode shadow.");
		assertThat(inForce()).isEqualTo(RateLimitOverride.of("bucket")
			.plan("pro")
			.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(1)))
			.mode(RateLimitMode.SHADOW)
			.build());
	}

	@ParameterizedTest
	@CsvSource({ "bucket, shadow", "queue, shadow", "window, enforce", "log, shadow" })
	void modeAloneIsChanged(String policy, String mode) {
		this.tab.go(page + "#/policy/" + policy)
			.click("Override its numbers")
			.choose("Mode", mode)
			.click("Override")
			.shows(policy + " is overridden: ")
			.shows("mode " + mode + ".");
		assertThat(inForce())
			.isEqualTo(RateLimitOverride.of(policy).mode(RateLimitMode.valueOf(mode.toUpperCase(Locale.ROOT))).build());
	}

	@Test
	void anOverrideOfAPlanKeepsTheNumbersOfThePolicyWhenItIsExtended() {
		RateLimit limit = registry.policy("bucket").policy().limits().get(0);
		registry.overrides()
			.put(RateLimitOverride.of("bucket").plan("pro").limit(limit).duration(Duration.ofHours(1)).build());
		this.tab.go(page + "#/in-force").click("Extend the override of the plan pro of bucket").fill("For", "5h");
		this.tab.click("Change its end").shows("The override of the plan pro of bucket is in force until");
		assertThat(registry.overrides().inForce()).singleElement().satisfies((each) -> {
			assertThat(each.override().limits()).containsExactly(limit);
			assertThat(each.override().duration()).isEqualTo(Duration.ofHours(5));
		});
	}

	@Test
	void whatIsShownWhileAPolicyIsOverriddenIsInForce() {
		registry.overrides()
			.put(RateLimitOverride.of("bucket")
				.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 3, Duration.ofHours(1)))
				.mode(RateLimitMode.SHADOW)
				.build());
		this.tab.go(page + "#/policy/bucket")
			.shows("bucket 3 an hour (fixed window counter).")
			.shows("Limits 3 an hour (fixed window counter)")
			.shows("Mode in shadow: nothing is rejected")
			.shows("Overridden defined is 20 a minute, burst 20 (token bucket), enforced");
	}

	@Test
	void overrideOfAKeyIsNotSaidToLeaveWhatAnotherOneHasReplaced() {
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 3, Duration.ofHours(1));
		registry.overrides().put(RateLimitOverride.of("bucket").limit(limit).build());
		registry.overrides().put(RateLimitOverride.of("bucket").key("ada").limit(limit).build());
		this.tab.go(page + "#/policy/bucket")
			.click("Take back the override of the key ada")
			.shows("the key ada of bucket is then limited as others are, by the overrides of the policy and its plans.")
			.click("Take back")
			.shows("The override of the key ada of bucket was taken back.");
		assertThat(inForce().target().key()).isNull();
	}

	@Test
	void whateverTheFormShowsIsInForceAndTheNextOneShowsNothingOfIt() {
		long seed = Long.getLong("ratelimit.seed", System.nanoTime());
		Random random = new Random(seed);
		this.tab.go(page);
		String policy = POLICIES[0];
		for (int i = 0; i < 24; i++) {
			policy = random.nextBoolean() ? policy : POLICIES[random.nextInt(POLICIES.length)];
			this.tab.run("location.hash = '#/policy/" + policy + "'");
			this.tab.until("document.querySelector('h2#view').innerText === '" + policy + "'");
			this.tab.until("!document.querySelector('#overrides')")
				.run("document.querySelector('details:has([name=algorithm])').open || "
						+ "document.querySelector('details:has([name=algorithm]) summary').click()");
			assertThat(this.tab.string(
					"[...new FormData(document.querySelector('form.fields'))]" + ".map(([, value]) => value).join('')"))
				.as("what is left in the form, -Dratelimit.seed=%d", seed)
				.isEmpty();
			RateLimitOverride shown = fill(policy, random);
			this.tab.click("Override").until("!document.querySelector('details:has([name=algorithm])').open");
			assertThat(inForce()).as("override %d, -Dratelimit.seed=%d", i, seed).isEqualTo(shown);
			takeBack();
			this.tab.run("document.dispatchEvent(new Event('visibilitychange'))");
		}
	}

	/* Fills the form, and returns the override that it then shows. */
	private RateLimitOverride fill(String policy, Random random) {
		RateLimitOverride.Builder override = RateLimitOverride.of(policy);
		int target = random.nextInt(policy.equals("bucket") ? 3 : 2);
		if (target == 1) {
			this.tab.fill("Only for the key", "key-" + random.nextInt(9));
			override.key(this.tab.shown("Only for the key"));
		}
		else if (target == 2) {
			this.tab.choose("Only for the plan", random.nextBoolean() ? "pro" : "free");
			override.plan(this.tab.shown("Only for the plan"));
		}
		boolean limited = random.nextInt(4) > 0;
		if (limited) {
			override.limit(fillLimit(random));
		}
		if (!limited || random.nextBoolean()) {
			this.tab.choose("Mode", random.nextBoolean() ? "enforce" : "shadow");
			override.mode(RateLimitMode.valueOf(this.tab.shown("Mode").toUpperCase(Locale.ROOT)));
		}
		if (random.nextBoolean()) {
			this.tab.fill("For, such as", 1 + random.nextInt(9) + "h");
			override.duration(Duration.parse("PT" + this.tab.shown("For, such as")));
		}
		if (random.nextBoolean()) {
			this.tab.fill("Reason", "reason " + random.nextInt());
			override.reason(this.tab.shown("Reason"));
		}
		return override.build();
	}

	private RateLimit fillLimit(Random random) {
		RateLimitAlgorithm[] algorithms = RateLimitAlgorithm.values();
		if (random.nextInt(3) > 0) {
			this.tab.choose("Algorithm", algorithms[random.nextInt(algorithms.length)].id());
		}
		String chosen = this.tab.shown("Algorithm").replace("as defined: ", "");
		RateLimitAlgorithm algorithm = List.of(algorithms)
			.stream()
			.filter((each) -> each.id().equals(chosen))
			.findFirst()
			.orElseThrow();
		this.tab.fill("Limit, permits", String.valueOf(100 + random.nextInt(100))).fill("in each", "1s");
		RateLimit.Builder limit = RateLimit.builder(algorithm)
			.limit(Long.parseLong(this.tab.shown("Limit, permits")))
			.window(Duration.ofSeconds(1));
		if (algorithm.uses(Setting.BURST)) {
			if (random.nextBoolean()) {
				this.tab.fill("Burst, permits", String.valueOf(10 + random.nextInt(10)));
			}
			ifShown("Burst, permits", limit::burst);
		}
		for (Setting setting : List.of(Setting.NODELAY, Setting.COUNT_REJECTED)) {
			String choice = (setting == Setting.NODELAY) ? "Without delay" : "Rejected requests count";
			if (algorithm.uses(setting) && random.nextBoolean()) {
				this.tab.choose(choice, random.nextBoolean() ? "yes" : "no");
			}
		}
		if (algorithm.uses(Setting.NODELAY)) {
			boolean nodelay = this.tab.shown("Without delay").equals("yes");
			limit.nodelay(nodelay);
			if (!nodelay && !this.tab.shown("Burst, permits").isEmpty() && random.nextBoolean()) {
				this.tab.fill("Delay", String.valueOf(random.nextInt(5)));
			}
			if (!nodelay) {
				ifShown("Delay", limit::delay);
			}
		}
		if (algorithm.uses(Setting.COUNT_REJECTED)) {
			limit.countRejected(this.tab.shown("Rejected requests count").equals("yes"));
		}
		return limit.build();
	}

	private void ifShown(String label, LongConsumer use) {
		String shown = this.tab.shown(label);
		if (!shown.isEmpty()) {
			use.accept(Long.parseLong(shown));
		}
	}

	private static RateLimitOverride inForce() {
		assertThat(registry.overrides().inForce()).hasSize(1);
		return registry.overrides().inForce().iterator().next().override();
	}

	@Test
	void playgroundDrawsWhatTheApplicationComputesOfWhatItShows() throws Exception {
		this.tab.go(page + "#/playground").shows("10 requests simulated.");
		drawsWhatIsShown();
		for (String preset : List.of("A constant outflow", "nginx: delay", "nginx: nodelay", "After a pause")) {
			this.tab.click(preset);
			drawsWhatIsShown();
		}
		this.tab.fill("Number", "30").click("Wave");
		drawsWhatIsShown();
		for (String number : List.of("Limit: requests=7", "Window: seconds=2.5", "Token bucket: burst=9",
				"Leaky bucket: burst=4", "Leaky bucket: delay=8")) {
			this.tab.fill(number.split("=")[0], number.split("=")[1]);
			drawsWhatIsShown();
		}
		this.tab.choose("Time shown", "6 s");
		drawsWhatIsShown();
		for (String choice : List.of("nodelay", "count-rejected")) {
			this.tab.run("[...document.querySelectorAll('.choice')].find((each) => each.innerText.endsWith('" + choice
					+ "')).querySelector('input').click()");
			drawsWhatIsShown();
		}
		this.tab.run("document.querySelector('.strip [tabindex=\"0\"]').focus()");
		this.tab.press(Keys.ARROW_RIGHT).press("9").press(Keys.ARROW_RIGHT).press(Keys.ARROW_UP);
		drawsWhatIsShown();
		String link = this.tab.string("[...document.querySelectorAll('a')].pop().href");
		List<String> before = this.tab
			.run("return [...document.querySelectorAll('.playground input')].map((e) => e.value)");
		this.tab.go("about:blank").go(link).shows("requests simulated.");
		drawsWhatIsShown();
		assertThat(this.tab
			.<List<String>>run("return [...document.querySelectorAll('.playground input')].map((e) => e.value)")
			.subList(0, 5)).isEqualTo(before.subList(0, 5));
		this.tab.click("Clear").shows("0 requests simulated.");
	}

	private void drawsWhatIsShown() throws Exception {
		List<Map<String, Object>> limits = new ArrayList<>();
		for (String algorithm : List.of("fixed-window-counter", "sliding-window-log", "sliding-window-counter",
				"token-bucket", "leaky-bucket")) {
			limits.add(new HashMap<>(
					Map.of("algorithm", algorithm, "limit", Long.parseLong(this.tab.shown("Limit: requests")), "window",
							Math.round(Double.parseDouble(this.tab.shown("Window: seconds")) * 1000) + "ms")));
		}
		limits.get(1).put("count-rejected", isChecked("count-rejected"));
		limits.get(3).put("burst", Long.parseLong(this.tab.shown("Token bucket: burst")));
		limits.get(4).put("burst", Long.parseLong(this.tab.shown("Leaky bucket: burst")));
		limits.get(4).put("nodelay", isChecked("nodelay"));
		if (!isChecked("nodelay")) {
			limits.get(4).put("delay", Long.parseLong(this.tab.shown("Leaky bucket: delay")));
		}
		List<Number> strip = this.tab.run("return [...document.querySelectorAll('.strip [role=spinbutton]')]"
				+ ".map((each) => Number(each.ariaValueNow))");
		double slot = Double.parseDouble(this.tab.shown("Time shown").replace(" s", "").replace("10 min", "600")) * 1000
				/ strip.size();
		List<Long> gaps = new ArrayList<>();
		long last = 0;
		for (int i = 0; i < strip.size(); i++) {
			for (int k = 0; k < strip.get(i).intValue(); k++) {
				long time = Math.round((i + (double) k / strip.get(i).intValue()) * slot);
				gaps.add(time - last);
				last = time;
			}
		}
		JsonNode computed = simulate(JSON.writeValueAsString(Map.of("limits", limits, "gaps", gaps)));
		if (computed.has("detail")) {
			this.tab.shows(computed.path("detail").asString());
			return;
		}
		this.tab.shows(gaps.size() + " requests simulated.");
		IntStream.range(0, 5).forEach((i) -> {
			JsonNode requests = computed.path("limits").path(i).path("requests");
			long passed = requests.path("allowed").asLong() + requests.path("delayed").asLong();
			long rejected = requests.path("rejected").asLong();
			this.tab.until("((text) => text.includes('" + passed + " of " + gaps.size() + " passed') && text.includes('"
					+ rejected + " w') && (" + requests.path("delayed").asLong() + " === 0 || text.includes('"
					+ requests.path("delayed").asLong()
					+ " of them waited')))(document.querySelectorAll('.lanes figcaption')[" + i + "].innerText)");
		});
	}

	private boolean isChecked(String choice) {
		return this.tab.<Boolean>run("return [...document.querySelectorAll('.choice')].find((each) => "
				+ "each.innerText.endsWith('" + choice + "')).querySelector('input').checked");
	}

	private static JsonNode simulate(String body) throws Exception {
		HttpRequest request = HttpRequest.newBuilder(URI.create(page.replace("/page", "/simulate")))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build();
		HttpResponse<String> answer;
		do {
			answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
		}
		// the page may be simulating
		while (answer.statusCode() == 503);
		return JSON.readTree(answer.body());
	}

	@Test
	void playgroundSaysWhichNumberIsInvalidAndWhichOneItStillDraws() {
		this.tab.go(page + "#/playground")
			.fill("Leaky bucket: delay", "-1")
			.shows("“Leaky bucket: delay” is invalid: write a number from 0 to 1000. Until then it is 0.")
			.fill("Window: seconds", "0.25")
			.shows("“Window: seconds” is invalid: write a number from 0.1 to 3600, in steps of 0.1. Until then it is 0.2.")
			.fill("Window: seconds", "2.5")
			.until("!document.body.innerText.includes('“Window')");
	}

	@Test
	void adviceThatIsCopiedIsInForceInTheNextStart() throws Exception {
		this.tab.go(page + "#/policy/charged")
			.shows("Every request counts with what it costs when it comes, and not with what it is charged in the end "
					+ "(authenticationFailed)")
			.withClipboard()
			.click("Copy")
			.shows("Copied.");
		String suggestion = this.tab.string("/Suggestion: (.+?):/.exec(document.body.innerText)[1]");
		String copied = this.tab.string("navigator.clipboard.readText()");
		Stream<String> own = Stream.of("ratelimit.policies.charged.charge=authenticationFailed",
				"ratelimit.policies.charged.algorithm=sliding-window-log");
		try (ConfigurableApplicationContext next = PageApplication.run(Secured.Open.class,
				Stream.concat(own, properties(copied)).toArray(String[]::new))) {
			RateLimitPolicy policy = next.getBean(RateLimiterRegistry.class).policy("charged").policy();
			assertThat(policy.mode()).isEqualTo(RateLimitMode.SHADOW);
			RateLimit limit = policy.limits().get(0);
			assertThat(limit.algorithm()).isEqualTo(RateLimitAlgorithm.TOKEN_BUCKET);
			assertThat(limit.limit() + " per " + DurationText.of(limit.window()) + ", burst " + limit.burst())
				.isEqualTo(suggestion);
		}
	}

	private static Stream<String> properties(String yaml) throws Exception {
		PropertySource<?> source = new YamlPropertySourceLoader()
			.load("copied", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
			.get(0);
		return Stream.of(((EnumerablePropertySource<?>) source).getPropertyNames())
			.map((name) -> name + "=" + source.getProperty(name));
	}

}
