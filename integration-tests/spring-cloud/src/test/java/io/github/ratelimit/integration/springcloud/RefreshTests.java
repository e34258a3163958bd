package io.github.ratelimit.integration.springcloud;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What follows changes of the file that the application was started with.
 */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class RefreshTests extends RefreshedApplication {

	/* It leaves the mode to the annotation of a bean that is made late. */
	private static final String LAZY = ANNOTATED + """
			    lazy: {limit: 9, window: 1h}
			""";

	@Test
	void limitsOfAnnotatedMethodsAndOfRulesFollowTheEnvironment(CapturedOutput output) throws Exception {
		String rules = """
				  rules:
				  - {path: /ruled, policy: api}
				""";
		start(POLICIES + rules);
		assertThat(limit("/annotated")).isEqualTo("2");
		assertThat(limit("/ruled")).isEqualTo("100");
		refresh(POLICIES.replace("limit: 2,", "limit: 5,").replace("limit: 100", "limit: 200") + rules);
		assertThat(limit("/annotated")).isEqualTo("5");
		assertThat(limit("/ruled")).isEqualTo("200");
		assertThat(output).containsOnlyOnce("Rate limits have changed")
			.contains("Rate limits have changed: policy annotated has limits from [token-bucket 2 per 1 h, burst 2] to "
					+ "[token-bucket 5 per 1 h, burst 5]; policy api has limits from [token-bucket 100 per 1 h, burst 100] "
					+ "to [token-bucket 200 per 1 h, burst 200]")
			.doesNotContain("needs a restart");
	}

	@Test
	void limitsThatAnAnnotationDescribesAreOverriddenAtLast() throws Exception {
		start(ANNOTATED);
		assertThat(limit("/described")).isEqualTo("3");
		refresh(ANNOTATED + """
				    described: {limit: 7, window: 1h}
				""");
		assertThat(limit("/described")).isEqualTo("7");
		refresh(ANNOTATED + """
				    described: {limit: 8}
				""");
		assertThat(limit("/described")).isEqualTo("8");
		assertThat(policies().policy("described").policy().limits()).extracting(RateLimit::window)
			.containsExactly(Duration.ofHours(1));
	}

	@Test
	void annotationThatIsReadAfterTheStartIsReadOnceForAllRefreshes() throws Exception {
		start(LAZY);
		assertThat(lazy().mode()).isEqualTo(RateLimitMode.ENFORCE);
		this.context.getBean("lazy");
		assertThat(lazy().mode()).isEqualTo(RateLimitMode.SHADOW);
		refresh(LAZY.replace("limit: 2,", "limit: 5,"));
		assertThat(lazy().mode()).isEqualTo(RateLimitMode.SHADOW);
		refresh(LAZY.replace("limit: 9", "limit: 10"));
		assertThat(lazy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(lazy().capacity()).isEqualTo(10);
		refresh(LAZY.replace("limit: 9", "mode: enforce, limit: 9"));
		assertThat(lazy().mode()).isEqualTo(RateLimitMode.ENFORCE);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			limit: 10                | SHADOW  | 10
			limit: 10, key: "'some'" | SHADOW  | 10
			mode: enforce, limit: 10 | ENFORCE | 10
			""")
	void annotationThatIsReadAfterARefreshAddsToWhatIsConfiguredNow(String given, RateLimitMode mode, long limit)
			throws Exception {
		start(LAZY);
		refresh(LAZY.replace("limit: 9", given));
		assertThat(lazy().mode()).isEqualTo(RateLimitMode.ENFORCE);
		this.context.getBean("lazy");
		assertThat(lazy().mode()).isEqualTo(mode);
		assertThat(lazy().capacity()).isEqualTo(limit);
		assertThat(lazy().key()).isNull();
	}

	@Test
	void annotationThatIsReadAfterARefreshAddsToAPolicyThatIsNewOrGone() throws Exception {
		start(ANNOTATED);
		refresh(LAZY);
		refresh(ANNOTATED);
		this.context.getBean("lazy");
		assertThat(lazy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(lazy().capacity()).isEqualTo(9);
	}

	private RateLimitPolicy lazy() {
		return policies().policy("lazy").policy();
	}

	@Test
	void rulesAreAddedRemovedAndChangedInBothPhases(CapturedOutput output) throws Exception {
		start(POLICIES + """
				  rules:
				  - {path: /ruled, policy: api}
				""");
		assertThat(limit("/ruled")).isEqualTo("100");
		assertThat(limit("/other")).isNull();
		refresh(POLICIES + """
				  rules:
				  - {path: /other, methods: POST, policy: api}
				  - {path: /ruled, policy: user}
				""");
		assertThat(limit("/other")).isNull();
		assertThat(limit(send("POST", "/other", null))).isEqualTo("100");
		assertThat(limit(send("GET", "/ruled", "ann"))).isEqualTo("10");
		assertThat(remaining(send("GET", "/ruled", "ann"))).isEqualTo("8");
		assertThat(remaining(send("GET", "/ruled", "bob"))).isEqualTo("9");
		assertThat(output).containsOnlyOnce("Rate limits have changed")
			.contains("rules from [/ruled with api] to [POST /other with api, /ruled with user]");
		assertThat(policies().policy("api").appliedTo()).containsExactly("rule POST /other");
		assertThat(policies().policy("user").appliedTo()).containsExactly("rule /ruled");
		refresh(POLICIES);
		assertThat(limit(send("POST", "/other", null))).isNull();
		assertThat(limit(send("GET", "/ruled", "ann"))).isNull();
		assertThat(policies().policy("api").appliedTo()).isEmpty();
	}

	@Test
	void whatAKeyHasTakenIsKept() throws Exception {
		String windows = ANNOTATED.replace("limit: 2,", "limit: 5, algorithm: fixed-window-counter, zone: UTC,")
			.replace("1h", "P1Y");
		start(windows);
		send("GET", "/annotated", null);
		send("GET", "/annotated", null);
		refresh(windows.replace("limit: 5,", "limit: 8,"));
		assertThat(remaining(send("GET", "/annotated", null))).isEqualTo("5");
	}

	@Test
	void overrideOfTheModeAloneFollowsTheLimits() throws Exception {
		start(ANNOTATED);
		policies().overrides().put(RateLimitOverride.of("annotated").mode(RateLimitMode.SHADOW).build());
		refresh(ANNOTATED.replace("limit: 2,", "limit: 5,"));
		for (int i = 0; i < 6; i++) {
			assertThat(send("GET", "/annotated", null).statusCode()).isEqualTo(200);
		}
		RateLimitShadow shadow = policies().policy("annotated").shadow();
		assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isEqualTo(5);
		assertThat(shadow.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
	}

	@Test
	void numbersOfPlansFollowAndWhatChoosesAmongThemNeedsARestart(CapturedOutput output) throws Exception {
		String plans = ANNOTATED.replace("window: 1h",
				"window: 1h, plan: \"'pro'\", plans: {pro: {limit: 60, window: 1h}}");
		start(plans);
		assertThat(limit("/annotated")).isEqualTo("60");
		refresh(plans.replace("limit: 60", "limit: 90"));
		assertThat(limit("/annotated")).isEqualTo("90");
		assertThat(output).contains(
				"Rate limits have changed: policy annotated has plans from {pro=[token-bucket 60 per 1 h, burst 60]} "
						+ "to {pro=[token-bucket 90 per 1 h, burst 90]}")
			.doesNotContain("needs a restart");
		String chosenOtherwise = plans.replace("'pro'", "'gold'").replace("pro:", "gold:");
		refresh(chosenOtherwise);
		refresh(chosenOtherwise);
		assertThat(limit("/annotated")).isEqualTo("90");
		for (String property : List.of("plan", "plans")) {
			assertThat(output).containsOnlyOnce("The property 'ratelimit.policies.annotated." + property + "' ");
		}
		refresh(ANNOTATED.replace("limit: 2,", "limit: 3,"));
		assertThat(limit("/annotated")).isEqualTo("90");
		assertThat(policies().policy("annotated").policy().capacity()).isEqualTo(3);
	}

	@Test
	void newPolicyIsEnforcedByAFirstRule() throws Exception {
		start(ANNOTATED);
		refresh(ANNOTATED + """
				    late: {key: "'all'", limit: 1, window: 1h}
				  rules:
				  - {path: /ruled, policy: late}
				""");
		assertThat(send("GET", "/ruled", null).statusCode()).isEqualTo(200);
		assertThat(send("GET", "/ruled", null).statusCode()).isEqualTo(429);
	}

	@Test
	void modeAndShadowLimitsFollowTheEnvironment() throws Exception {
		start(ANNOTATED);
		assertThat(limit("/annotated")).isEqualTo("2");
		refresh(ANNOTATED.replace("window: 1h", "window: 1h, mode: shadow"));
		for (int i = 0; i < 4; i++) {
			assertThat(send("GET", "/annotated", null).statusCode()).isEqualTo(200);
		}
		assertThat(limit("/annotated")).isNull();
		assertThat(policies().policy("annotated").shadow()).isNotNull();
		refresh(ANNOTATED.replace("window: 1h", "window: 1h, shadow-limits: [{limit: 1, window: 1h}]"));
		assertThat(limit("/annotated")).isEqualTo("2");
		assertThat(policies().policy("annotated").policy().shadowLimits()).hasSize(1);
	}

	@Test
	void placeholderThatChangesIsFollowed() throws Exception {
		start(ANNOTATED.replace("limit: 2,", "limit: \"${sold:2}\","));
		assertThat(limit("/annotated")).isEqualTo("2");
		this.context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("sold", Map.of("sold", "12")));
		this.context.publishEvent(new EnvironmentChangeEvent(this.context, Set.of("sold")));
		assertThat(limit("/annotated")).isEqualTo("12");
	}

	@Test
	void requestThatWaitsKeepsItsPlaceAndTime() throws Exception {
		String rules = ANNOTATED + """
				    queue: {key: "'all'", algorithm: leaky-bucket, limit: 1, window: 4s, burst: 1}
				  rules:
				  - {path: /ruled, policy: queue}
				""";
		start(rules);
		long begun = System.nanoTime();
		assertThat(send("GET", "/ruled", null).statusCode()).isEqualTo(200);
		CompletableFuture<HttpResponse<String>> waiting = HTTP.sendAsync(request("GET", "/ruled", null),
				HttpResponse.BodyHandlers.ofString());
		await().atMost(Duration.ofMinutes(1)).until(() -> count("queue", RateLimitOutcome.DELAYED) == 1);
		refresh(rules.replace("window: 4s", "window: 1h"));
		HttpResponse<String> response = waiting.get(60, TimeUnit.SECONDS);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(Duration.ofSeconds(4),
				Duration.ofSeconds(60));
	}

	@Test
	void requestUnderWayKeepsTheRulesThatItBeganWith() throws Exception {
		start(ANNOTATED);
		CompletableFuture<HttpResponse<String>> underWay = HTTP.sendAsync(request("GET", "/forwarding", null),
				HttpResponse.BodyHandlers.ofString());
		Application.Gate gate = this.context.getBean(Application.Gate.class);
		gate.reached().await();
		refresh(ANNOTATED + """
				  rules:
				  - {path: /target, policy: annotated}
				""");
		gate.open().countDown();
		assertThat(limit(underWay.get(60, TimeUnit.SECONDS))).isNull();
		assertThat(limit("/target")).isEqualTo("2");
		assertThat(limit("/forwarding")).isEqualTo("2");
	}

	@Test
	void everyRequestDuringChangesIsDecidedUnderOneOfThem() throws Exception {
		String few = ANNOTATED + """
				    api: {key: "'all'", limit: 100000, window: 1h}
				  rules:
				  - {path: /ruled, policy: api}
				""";
		String many = few.replace("limit: 100000", "limit: 200000").replace("/ruled", "/r*");
		start(few);
		AtomicBoolean over = new AtomicBoolean();
		List<Future<List<String>>> callers = new ArrayList<>();
		ExecutorService executor = Executors.newFixedThreadPool(4);
		try {
			for (int i = 0; i < 4; i++) {
				callers.add(executor.submit(() -> limitsUntil(over)));
			}
			for (int i = 0; i < 10; i++) {
				refresh((i % 2 == 0) ? many : few);
			}
			refresh(many);
			over.set(true);
			for (Future<List<String>> caller : callers) {
				assertThat(caller.get()).isNotEmpty().isSubsetOf("100000", "200000");
			}
		}
		finally {
			over.set(true);
			executor.shutdown();
		}
		assertThat(limit("/ruled")).isEqualTo("200000");
	}

	private List<String> limitsUntil(AtomicBoolean over) throws Exception {
		List<String> limits = new ArrayList<>();
		while (!over.get()) {
			HttpResponse<String> response = send("GET", "/ruled", null);
			assertThat(response.statusCode()).isEqualTo(200);
			limits.add(limit(response));
			assertThat(Long.parseLong(remaining(response))).isLessThan(Long.parseLong(limit(response)));
		}
		return limits;
	}

}
