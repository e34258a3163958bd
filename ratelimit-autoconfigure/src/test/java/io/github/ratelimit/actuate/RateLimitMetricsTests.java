package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.autoconfigure.FixedAnswerStore;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.test.ManualClock;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class RateLimitMetricsTests {

	private static final RateLimit ONE = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1,
			Duration.ofMinutes(1));

	private static final RateLimit QUEUE = RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1));

	private final ManualClock clock = ManualClock.atMidnight();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RateLimitFindings findings = new RateLimitFindings();

	private @Nullable RateLimitStoreAvailability availability;

	/* Meters come first: policies that are registered later are published, too. */
	private StoreRateLimiterRegistry registry(RateLimitStore store) {
		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(store, List.of(),
				new PlanSettings((policy, key) -> key, Duration.ofMinutes(1), Duration.ofSeconds(30), 100, this.clock));
		new RateLimitMetrics(registry, new WaitingRoom(this.clock, 7), this.findings, this.availability)
			.bindTo(this.meters);
		return registry;
	}

	private StoreRateLimiterRegistry registry() {
		return registry(new LocalRateLimitStore(this.clock, 1000));
	}

	private StoreRateLimiter login(RateLimitStore store) {
		return registry(store).register(RateLimitPolicy.of("login",
				RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 2, Duration.ofMinutes(1))));
	}

	private StoreRateLimiter login() {
		return login(new LocalRateLimitStore(this.clock, 1000));
	}

	/* The values of a tag, after the mode if there is one. */
	private List<String> series(String meter, String tag) {
		return this.meters.find(meter)
			.meters()
			.stream()
			.map(Meter::getId)
			.map((id) -> ((id.getTag("mode") != null) ? id.getTag("mode") + " " : "") + id.getTag(tag))
			.toList();
	}

	private double count(String meter, String... tags) {
		return this.meters.get(meter).tags(tags).functionCounter().count();
	}

	private double requests(String policy, String mode, String outcome) {
		return count("ratelimit.requests", "policy", policy, "mode", mode, "outcome", outcome);
	}

	@Test
	void requestsAreCountedByPolicyAndOutcome() {
		RateLimiter login = login();
		RateLimitDecision first = login.decide("me", 1);
		login.decide("me", 1);
		login.decide("me", 1);
		login.peek("me");
		login.refund("me", 1, first);
		assertThat(requests("login", "enforce", "allowed")).isEqualTo(2);
		assertThat(requests("login", "enforce", "rejected")).isEqualTo(1);
		assertThat(requests("login", "enforce", "returned")).isEqualTo(1);
	}

	@Test
	void whatCannotHappenHasNoSeries() {
		login();
		assertThat(series("ratelimit.requests", "outcome")).containsExactlyInAnyOrder("enforce allowed",
				"enforce rejected", "enforce returned");
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactly("key");
		assertThat(this.meters.getMeters()).extracting((meter) -> meter.getId().getName())
			.noneMatch((name) -> name.startsWith("ratelimit.store"))
			.doesNotContain("ratelimit.fallbacks", "ratelimit.settlements", "ratelimit.shadow.dropped");
	}

	@Test
	void whatCanHappenHasASeriesFromTheStart() {
		this.availability = mock(RateLimitStoreAvailability.class);
		given(this.availability.outages()).willReturn(3L);
		registry().register(RateLimitPolicy.builder("login")
			.limit(ONE)
			.shadowLimits(List.of(QUEUE))
			.ban(new RateLimitBan(3))
			.plans(Map.of("pro", RateLimitPlan.of(QUEUE)))
			.build());
		assertThat(series("ratelimit.requests", "outcome")).containsExactlyInAnyOrder("enforce allowed",
				"enforce delayed", "enforce rejected", "enforce queue_full", "enforce banned", "enforce unavailable",
				"enforce returned", "shadow allowed", "shadow delayed", "shadow rejected", "shadow banned");
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactlyInAnyOrder("key", "plan");
		assertThat(series("ratelimit.fallbacks", "policy")).containsExactly("login");
		assertThat(series("ratelimit.shadow.dropped", "policy")).containsExactly("login");
		assertThat(this.meters.get("ratelimit.store.available").gauge().value()).isZero();
		assertThat(count("ratelimit.store.outages")).isEqualTo(3);
	}

	@Test
	void findingsAreCountedByTheirCodeWheneverTheyAreFound() {
		this.findings.note(FindingCode.FAILED_EXPRESSION, "login", "early", "Failed");
		registry();
		this.findings.note(FindingCode.FAILED_EXPRESSION, "login", "late", "Failed");
		this.findings.note(FindingCode.FAILED_EXPRESSION, "login", "late", "Failed");
		this.findings.note(FindingCode.LOCAL_STORE, null, "store", "Local");
		assertThat(this.meters.get("ratelimit.findings").tags("code", "RL019", "level", "warning").gauge().value())
			.isEqualTo(2);
		assertThat(this.meters.get("ratelimit.findings").tags("code", "RL009", "level", "info").gauge().value())
			.isEqualTo(1);
		assertThat(this.meters.get("ratelimit.findings").gauges()).hasSize(2);
	}

	@Test
	void expressionsOfAPlaceHaveASeriesOnceThePlaceIsKnown() {
		StoreRateLimiter login = login();
		login.add(new AppliedLocation("rule /login", null, "cost", null, null));
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactlyInAnyOrder("key", "cost");
		login.add(new AppliedLocation("Service.login()", null, null, "condition", "charge"));
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactlyInAnyOrder("key", "cost",
				"condition", "charge");
		assertThat(series("ratelimit.settlements", "outcome")).containsExactlyInAnyOrder("kept", "returned", "charged");
	}

	/*
	 * Micrometer warns once in a process, and tells of others at debug.
	 */
	@Test
	void nothingIsRegisteredTwiceWhenMoreIsKnownOfAPolicy() {
		Logger logger = (Logger) LoggerFactory.getLogger(MeterRegistry.class);
		Level level = logger.getLevel();
		ListAppender<ILoggingEvent> told = new ListAppender<>();
		told.start();
		logger.addAppender(told);
		logger.setLevel(Level.DEBUG);
		try {
			StoreRateLimiterRegistry registry = registry();
			registry.register(RateLimitPolicy.of("login", ONE))
				.add(new AppliedLocation("rule /login", null, "cost", null, null));
			new RateLimitMetrics(registry, new WaitingRoom(this.clock, 7), this.findings, null).bindTo(this.meters);
		}
		finally {
			logger.setLevel(level);
			logger.detachAppender(told);
		}
		assertThat(told.list).extracting(ILoggingEvent::getFormattedMessage).isEmpty();
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactlyInAnyOrder("key", "cost");
	}

	@Test
	void unknownPlansAreCountedByPolicyAlone() {
		StoreRateLimiterRegistry registry = registry();
		registry.register(RateLimitPolicy.of("plain", ONE));
		registry
			.register(RateLimitPolicy.builder("api").limit(ONE).plans(Map.of("pro", RateLimitPlan.of(QUEUE))).build())
			.decide("gold", 1);
		assertThat(series("ratelimit.plans.unknown", "policy")).containsExactly("api");
		assertThat(count("ratelimit.plans.unknown")).isOne();
	}

	@Test
	void whatAnOverrideMakesPossibleHasASeriesFromThenOn() {
		StoreRateLimiterRegistry registry = registry();
		registry.register(RateLimitPolicy.of("login", ONE));
		registry.overrides().put(RateLimitOverride.of("login").limit(ONE).build());
		assertThat(series("ratelimit.requests", "outcome")).noneMatch((series) -> series.endsWith("delayed"));
		registry.overrides().put(RateLimitOverride.of("login").limit(QUEUE).build());
		assertThat(series("ratelimit.requests", "outcome")).contains("enforce delayed", "enforce queue_full")
			.noneMatch((series) -> series.startsWith("shadow"));
		registry.overrides().put(RateLimitOverride.of("login").mode(RateLimitMode.SHADOW).build());
		assertThat(series("ratelimit.requests", "outcome")).contains("shadow allowed", "shadow delayed",
				"shadow rejected");
	}

	/*
	 * A rate knows nothing of what happened before a meter was first read, so that the
	 * timer is there before the first delay.
	 */
	@Test
	void delayedRequestsAreCountedAndTimedByPolicy() {
		StoreRateLimiterRegistry registry = registry();
		registry.register(RateLimitPolicy.of("window", ONE));
		RateLimiter queue = registry.register(RateLimitPolicy.of("queue", QUEUE));
		Timer timer = this.meters.get("ratelimit.delay").timer();
		assertThat(timer.getId().getTag("policy")).isEqualTo("queue");
		assertThat(timer.count()).isZero();
		for (int i = 0; i < 3; i++) {
			queue.decide("me", 1);
		}
		assertThat(timer.count()).isEqualTo(2);
		assertThat(timer.takeSnapshot().total()).isEqualTo(Duration.ofMillis(100 + 200).toNanos());
		assertThat(requests("queue", "enforce", "delayed")).isEqualTo(2);
	}

	@Test
	void settlementsOfPoliciesThatAreChargedByOutcomeAreCounted() {
		RateLimiter tokens = registry().register(RateLimitPolicy.builder("tokens")
			.charge("result")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofMinutes(1)))
			.build());
		RateLimitDecision given = tokens.decide("me", 4);
		tokens.settle("me", 4, 4, given);
		tokens.settle("me", 4, 1, given);
		tokens.settle("me", 1, 2, given);
		for (String outcome : List.of("kept", "returned", "charged")) {
			assertThat(count("ratelimit.settlements", "policy", "tokens", "outcome", outcome)).isEqualTo(1);
		}
	}

	@Test
	void whatAnInformingPolicyLetsPassIsCountedApart() {
		StoreRateLimiterRegistry registry = registry();
		RateLimiter informing = registry
			.register(RateLimitPolicy.builder("informing").limit(ONE).mode(RateLimitMode.INFORM).build());
		for (int i = 0; i < 3; i++) {
			informing.decide("me", 1);
		}
		assertThat(requests("informing", "inform", "allowed")).isEqualTo(1);
		assertThat(requests("informing", "inform", "exceeded")).isEqualTo(2);
		assertThat(series("ratelimit.requests", "outcome")).containsExactlyInAnyOrder("inform allowed",
				"inform exceeded", "inform returned");
		registry.overrides().put(RateLimitOverride.of("informing").mode(RateLimitMode.ENFORCE).build());
		informing.decide("me", 1);
		assertThat(requests("informing", "enforce", "rejected")).isEqualTo(1);
		assertThat(requests("informing", "inform", "exceeded")).isEqualTo(2);
		assertThat(informing.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
	}

	@Test
	void eachShareThatKeysUseIsCounted() {
		RateLimiter warning = registry().register(RateLimitPolicy.builder("warning")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofMinutes(1)))
			.warnAt(80, 100)
			.build());
		assertThat(series("ratelimit.thresholds", "share")).containsExactlyInAnyOrder("80%", "100%");
		warning.decide("me", 4);
		warning.decide("you", 5);
		assertThat(count("ratelimit.thresholds", "policy", "warning", "share", "80%")).isEqualTo(2);
		assertThat(count("ratelimit.thresholds", "policy", "warning", "share", "100%")).isEqualTo(1);
	}

	@Test
	void whatIsDecidedInShadowIsCountedApartAndTimedNowhere() {
		StoreRateLimiterRegistry registry = registry();
		RateLimit queue = RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 1, Duration.ofSeconds(1));
		RateLimiter tried = registry
			.register(RateLimitPolicy.builder("tried").limit(queue).mode(RateLimitMode.SHADOW).build());
		RateLimiter both = registry.register(RateLimitPolicy.builder("both")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofMinutes(1)))
			.shadowLimits(List.of(ONE))
			.build());
		for (int i = 0; i < 3; i++) {
			tried.decide("me", 1);
			both.decide("me", 1);
		}
		assertThat(requests("tried", "shadow", "delayed")).isEqualTo(1);
		assertThat(requests("tried", "shadow", "rejected")).isEqualTo(1);
		assertThat(this.meters.find("ratelimit.requests").tags("policy", "tried", "mode", "enforce").meters())
			.isEmpty();
		assertThat(this.meters.find("ratelimit.delay").timer()).isNull();
		assertThat(requests("both", "enforce", "allowed")).isEqualTo(3);
		assertThat(requests("both", "shadow", "allowed")).isEqualTo(1);
		assertThat(requests("both", "shadow", "rejected")).isEqualTo(2);
		assertThat(this.meters.getMeters()).extracting((meter) -> meter.getId().getTag("policy"))
			.doesNotContain("both/shadow");
	}

	@Test
	void whatAnOverrideTriesOrEnforcesIsCountedFromThenOnAndNothingIsLost() {
		StoreRateLimiterRegistry registry = registry();
		RateLimiter enforced = registry.register(RateLimitPolicy.of("enforced", ONE));
		RateLimiter tried = registry
			.register(RateLimitPolicy.builder("tried").limit(ONE).mode(RateLimitMode.SHADOW).build());
		enforced.decide("me", 1);
		tried.decide("me", 1);
		registry.overrides().put(RateLimitOverride.of("enforced").mode(RateLimitMode.SHADOW).build());
		registry.overrides().put(RateLimitOverride.of("tried").mode(RateLimitMode.ENFORCE).build());
		for (int i = 0; i < 2; i++) {
			enforced.decide("other", 1);
			tried.decide("other", 1);
		}
		System.gc();
		assertThat(requests("enforced", "enforce", "allowed")).isEqualTo(1);
		assertThat(requests("enforced", "enforce", "rejected")).isZero();
		assertThat(requests("enforced", "shadow", "allowed")).isEqualTo(1);
		assertThat(requests("enforced", "shadow", "rejected")).isEqualTo(1);
		assertThat(requests("tried", "shadow", "allowed")).isEqualTo(1);
		assertThat(requests("tried", "enforce", "allowed")).isEqualTo(1);
		assertThat(requests("tried", "enforce", "rejected")).isEqualTo(1);
	}

	@Test
	void modesAreCountedForThemselvesWhenAPolicyChanges() {
		StoreRateLimiterRegistry registry = registry();
		RateLimiter login = registry.register(RateLimitPolicy.of("login", ONE));
		login.decide("me", 1);
		for (RateLimit changed : List.of(ONE, QUEUE)) {
			registry.change(RateLimitPolicy.builder("login").limit(changed).mode(RateLimitMode.SHADOW).build()).make();
			login.decide("you", 1);
		}
		assertThat(requests("login", "enforce", "allowed")).isEqualTo(1);
		assertThat(requests("login", "shadow", "allowed")).isEqualTo(2);
	}

	@Test
	void keysAreGaugedAndNeverBecomeTags() {
		RateLimiter login = login();
		int meters = this.meters.getMeters().size();
		assertThat(this.meters.get("ratelimit.keys").tags("policy", "login").gauge().value()).isZero();
		for (int i = 0; i < 100; i++) {
			login.decide("key" + i, 1);
		}
		assertThat(this.meters.get("ratelimit.keys").tags("policy", "login").gauge().value()).isEqualTo(100);
		assertThat(this.meters.getMeters()).hasSize(meters)
			.allSatisfy((meter) -> assertThat(meter.getId().getDescription()).isNotBlank());
		Set<String> tags = this.meters.getMeters()
			.stream()
			.flatMap((meter) -> meter.getId().getTags().stream())
			.map(Tag::getKey)
			.collect(Collectors.toSet());
		assertThat(tags).containsExactlyInAnyOrder("policy", "outcome", "mode", "expression");
		assertThat(this.meters.get("ratelimit.waiting").gauge().value()).isZero();
		assertThat(this.meters.get("ratelimit.waiting.maximum").gauge().value()).isEqualTo(7);
	}

	@Test
	void keysThatAStoreCannotCountAreNotGauged() {
		login(new FixedAnswerStore());
		assertThat(this.meters.find("ratelimit.keys").meters()).isEmpty();
	}

	@Test
	void evictionsOfKeysThatStillCountedAreCounted() {
		RateLimiter login = login(new LocalRateLimitStore(this.clock, 1));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			for (int i = 0; i < 100; i++) {
				login.decide("key" + i, 1);
			}
			return count("ratelimit.evictions", "policy", "login") > 0;
		});
		assertThat(count("ratelimit.evictions", "policy", "login")).isLessThanOrEqualTo(login.evictions());
	}

}
