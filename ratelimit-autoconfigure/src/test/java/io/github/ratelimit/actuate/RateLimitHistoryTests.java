package io.github.ratelimit.actuate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.actuate.RateLimitHistory.HistoryDescriptor.RequestsDescriptor;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.config.IntervalTask;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimitHistoryTests {

	private static final RateLimit TWO = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 2, Duration.ofDays(1));

	private static final RateLimit FIVE = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofDays(1));

	private static final String TASK = "rateLimitHistoryTask";

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	private final RateLimitHistory history = new RateLimitHistory(this.registry, this.clock, () -> "shop-1");

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void tellsWhatEachStepDecided() {
		RateLimiter login = register(RateLimitPolicy.builder("login").limit(TWO));
		RateLimiter queue = register(RateLimitPolicy.builder("queue")
			.limit(RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 5, Duration.ofDays(1))));
		assertThat(of("login").allowed()).isEmpty();
		decide(login, 3);
		decide(queue, 2);
		step();
		step();
		decide(login, 1);
		step();
		assertThat(of("login")).usingRecursiveComparison()
			.isEqualTo(steps(new int[] { 2, 0, 0 }, new int[3], new int[] { 1, 0, 1 }, new int[3]));
		assertThat(of("queue")).usingRecursiveComparison()
			.isEqualTo(steps(new int[] { 1, 0, 0 }, new int[] { 1, 0, 0 }, new int[3], new int[3]));
		assertThat(this.history.find("login").step()).isEqualTo(5);
		assertThat(this.history.find("login").end()).isEqualTo(Instant.parse("2026-03-05T00:00:15Z"));
	}

	private static RequestsDescriptor steps(int[] allowed, int[] delayed, int[] rejected, int[] wouldBeRejected) {
		return new RequestsDescriptor(allowed, delayed, rejected, wouldBeRejected);
	}

	@Test
	void keepsTenMinutesAndForgetsTheRest() {
		RateLimiter limiter = register(RateLimitPolicy.builder("login").limit(FIVE));
		decide(limiter, 5);
		step();
		for (int i = 0; i < 119; i++) {
			step();
		}
		assertThat(of("login").allowed()).hasSize(120).startsWith(5, 0);
		decide(limiter, 1);
		step();
		assertThat(of("login").allowed()).hasSize(120).containsOnly(0);
		assertThat(of("login").rejected()).hasSize(120).endsWith(0, 1);
	}

	@Test
	void goesOnAcrossOverridesAsTheDocumentationShows() throws IOException {
		RateLimiter limiter = register(RateLimitPolicy.builder("login").limit(TWO));
		decide(limiter, 3);
		step();
		this.registry.overrides().put(RateLimitOverride.of("login").limit(FIVE).build());
		decide(limiter, 4);
		step();
		this.registry.overrides().put(RateLimitOverride.of("login").mode(RateLimitMode.SHADOW).build());
		decide(limiter, 2);
		step();
		assertThat(of("login").allowed()).containsExactly(2, 3, 2);
		assertThat(of("login").rejected()).containsExactly(1, 1, 0);
		assertThat(of("login").wouldBeRejected()).containsExactly(0, 0, 2);
		assertThat(Files.readString(Path.of("../docs/page.md"))).contains(
				"\"end\": \"" + this.history.find("login").end() + "\"",
				"\"allowed\": " + Arrays.toString(of("login").allowed()),
				"\"rejected\": " + Arrays.toString(of("login").rejected()),
				"\"wouldBeRejected\": " + Arrays.toString(of("login").wouldBeRejected()));
	}

	@Test
	void whatIsOnlyTriedIsAllowed() {
		RateLimiter tried = register(RateLimitPolicy.builder("tried").limit(TWO).mode(RateLimitMode.SHADOW));
		RateLimiter both = register(RateLimitPolicy.builder("both").limit(FIVE).shadowLimits(List.of(TWO)));
		decide(tried, 3);
		decide(both, 6);
		step();
		assertThat(of("tried")).usingRecursiveComparison()
			.isEqualTo(steps(new int[] { 3 }, new int[1], new int[1], new int[] { 1 }));
		assertThat(of("both")).usingRecursiveComparison()
			.isEqualTo(steps(new int[] { 5 }, new int[1], new int[] { 1 }, new int[] { 4 }));
	}

	@Test
	void whatAnInformingPolicyLetsPassIsAllowed() {
		RateLimiter informing = register(RateLimitPolicy.builder("informing").limit(TWO).mode(RateLimitMode.INFORM));
		RateLimiter both = register(
				RateLimitPolicy.builder("both").limit(FIVE).mode(RateLimitMode.INFORM).shadowLimits(List.of(TWO)));
		decide(informing, 5);
		decide(both, 6);
		step();
		assertThat(of("informing")).usingRecursiveComparison()
			.isEqualTo(steps(new int[] { 5 }, new int[1], new int[1], new int[] { 3 }));
		assertThat(of("both")).usingRecursiveComparison()
			.isEqualTo(steps(new int[] { 6 }, new int[1], new int[1], new int[] { 5 }));
	}

	@Test
	void stepsThatNobodyEndedAreEmpty() {
		RateLimiter limiter = register(RateLimitPolicy.builder("login").limit(TWO));
		decide(limiter, 1);
		this.clock.advance(Duration.ofSeconds(15));
		this.history.record();
		assertThat(of("login").allowed()).containsExactly(0, 0, 1);
		decide(limiter, 1);
		this.clock.advance(Duration.ofDays(400));
		this.history.record();
		assertThat(of("login").allowed()).hasSize(120).endsWith(0, 1).startsWith(0);
	}

	@Test
	void threadMayBeALittleEarlyOrLateAndAClockThatGoesBackAddsNothing() {
		register(RateLimitPolicy.builder("login").limit(TWO));
		for (long millis : new long[] { 4999, 5002, 4999, 7000, 3000, -3_600_000 }) {
			this.clock.advance(Duration.ofMillis(millis));
			this.history.record();
		}
		assertThat(of("login").allowed()).hasSize(5);
	}

	@Test
	void anHourIsKeptByTheMinuteOfEachPolicyThatDecided() {
		RateLimiter login = register(RateLimitPolicy.builder("login").limit(TWO));
		register(RateLimitPolicy.builder("idle").limit(TWO));
		RateLimiter queue = register(RateLimitPolicy.builder("queue")
			.limit(RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 5, Duration.ofDays(1))));
		decide(login, 3);
		decide(queue, 2);
		minute();
		decide(login, 1);
		step();
		decide(login, 4);
		minute();
		HourDescriptor hour = this.history.hour();
		assertThat(hour.instance()).isEqualTo("shop-1");
		assertThat(hour.step()).isEqualTo(60);
		assertThat(hour.end()).isEqualTo(Instant.parse("2026-03-05T00:02:00Z"));
		assertThat(hour.policies()).containsOnlyKeys("idle", "login", "queue");
		assertThat(hour.policies().get("idle")).isEmpty();
		assertThat(hour.policies().get("login")).containsOnlyKeys("allowed", "rejected");
		assertThat(hour.policies().get("login").get("allowed")).containsExactly(2, 0);
		assertThat(hour.policies().get("login").get("rejected")).containsExactly(1, 5);
		assertThat(hour.policies().get("queue").get("allowed")).containsExactly(2, 0);
	}

	@Test
	void onlyAnHourIsKeptByTheMinute() {
		RateLimiter login = register(RateLimitPolicy.builder("login").limit(TWO));
		decide(login, 3);
		for (int i = 0; i < 60; i++) {
			minute();
		}
		assertThat(hour("login", "allowed")).hasSize(60).startsWith(2, 0);
		minute();
		assertThat(this.history.hour().policies().get("login")).isEmpty();
	}

	@Test
	void aPolicyThatIsYoungerHasDecidedNothingBefore() {
		minute();
		decide(register(RateLimitPolicy.builder("login").limit(TWO)), 3);
		minute();
		assertThat(hour("login", "allowed")).containsExactly(0, 2);
	}

	@Test
	void minutesThatNobodyEndedAreEmpty() {
		RateLimiter login = register(RateLimitPolicy.builder("login").limit(TWO));
		decide(login, 1);
		minute();
		this.clock.advance(Duration.ofMinutes(3));
		decide(login, 3);
		this.history.record();
		assertThat(hour("login", "allowed")).containsExactly(1, 0, 0, 1);
		this.clock.advance(Duration.ofDays(400));
		this.history.record();
		assertThat(this.history.hour().policies().get("login")).isEmpty();
	}

	@Test
	void whatIsRecentIsToldByOutcome() {
		RateLimiter login = register(RateLimitPolicy.builder("login").limit(TWO));
		assertThat(this.history.recent("login")).isNull();
		decide(login, 5);
		step();
		assertThat(this.history.recent("login"))
			.isEqualTo(Map.of("allowed", 2L, "delayed", 0L, "rejected", 3L, "banned", 0L, "queue_full", 0L,
					"unavailable", 0L, "returned", 0L, "exceeded", 0L, "wouldBeRejected", 0L));
		for (int i = 0; i < 119; i++) {
			step();
		}
		assertThat(this.history.recent("login")).containsEntry("rejected", 3L);
		step();
		assertThat(this.history.recent("login")).containsEntry("rejected", 0L);
	}

	@ParameterizedTest
	@CsvSource({ "SHADOW, 5, 0", "INFORM, 2, 3" })
	void whatOnlyWouldHaveBeenRejectedHasPassedRecently(RateLimitMode mode, long allowed, long exceeded) {
		decide(register(RateLimitPolicy.builder("login").limit(TWO).mode(mode)), 5);
		step();
		assertThat(this.history.recent("login")).containsEntry("allowed", allowed)
			.containsEntry("exceeded", exceeded)
			.containsEntry("rejected", 0L)
			.containsEntry("wouldBeRejected", 3L);
	}

	@Test
	void aStepEndsEveryFiveSeconds() {
		application().withBean(RateLimitClock.class, () -> this.clock).run((context) -> {
			IntervalTask task = context.getBean(TASK, IntervalTask.class);
			assertThat(task.getIntervalDuration()).isEqualTo(Duration.ofSeconds(5));
			this.clock.advance(task.getIntervalDuration());
			task.getRunnable().run();
			assertThat(context.getBean(RateLimitHistory.class).find("login").requests().allowed()).hasSize(1);
		});
	}

	@Test
	void theTaskThatEndsStepsRunsAgainAndAgain() {
		CountDownLatch runs = new CountDownLatch(3);
		application().withAllowBeanDefinitionOverriding(true)
			.withBean(TASK, IntervalTask.class, () -> new IntervalTask(runs::countDown, Duration.ofMillis(5)))
			.run((context) -> assertThat(runs.await(1, TimeUnit.MINUTES)).isTrue());
	}

	private static ApplicationContextRunner application() {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=ratelimits",
					"ratelimit.policies.login.limit=5", "ratelimit.policies.login.window=1m");
	}

	private RateLimiter register(RateLimitPolicy.Builder policy) {
		return this.registry.register(policy.build());
	}

	private static void decide(RateLimiter limiter, int times) {
		for (int i = 0; i < times; i++) {
			limiter.decide("ada", 1);
		}
	}

	private void step() {
		this.clock.advance(RateLimitHistory.STEP);
		this.history.record();
	}

	private void minute() {
		for (int i = 0; i < 12; i++) {
			step();
		}
	}

	private int[] hour(String policy, String curve) {
		return this.history.hour().policies().get(policy).get(curve);
	}

	private RequestsDescriptor of(String policy) {
		return this.history.find(policy).requests();
	}

}
