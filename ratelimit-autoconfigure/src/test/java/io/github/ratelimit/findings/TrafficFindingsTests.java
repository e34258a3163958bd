package io.github.ratelimit.findings;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What shows only after traffic, each caused by traffic that gives its code and no other.
 */
class TrafficFindingsTests {

	private static final RateLimit TEN_A_DAY = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofDays(1));

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 16);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	private final RateLimitFindings findings = new RateLimitFindings();

	private final TrafficFindings traffic = new TrafficFindings(this.registry, this.clock, this.findings);

	@AfterEach
	void closeStore() {
		this.store.close();
	}

	@ParameterizedTest
	@CsvSource({ "ENFORCE, 0, 30, UNUSED_POLICY", "ENFORCE, 5, 30, NEVER_REACHED", "SHADOW, 12, 30, LONG_IN_SHADOW",
			"ENFORCE, 1000, 0, REJECTS_MOST", "SHADOW, 1000, 0, REJECTS_MOST", "INFORM, 1000, 0, REJECTS_MOST",
			"ENFORCE, 999, 0,", "ENFORCE, 12, 60," })
	void whatShowsAfterAMonthOrElseAnHourIsFoundThen(RateLimitMode mode, int requests, int days,
			@Nullable FindingCode code) {
		StoreRateLimiter login = register(mode);
		look(Duration.ZERO);
		decide(login, requests);
		look(((days > 0) ? Duration.ofDays(days) : Duration.ofHours(1)).minusNanos(1));
		assertThat(this.findings.list()).isEmpty();
		look(Duration.ofNanos(1));
		look(Duration.ofMinutes(1));
		if (code == null) {
			assertThat(this.findings.list()).isEmpty();
			return;
		}
		assertFound(code);
		String said = (mode == RateLimitMode.ENFORCE) ? "" : (days > 0) ? "tried, in shadow" : "would have rejected";
		assertThat(this.findings.list().get(0).message()).contains(said);
	}

	@Test
	void policyWithoutTrafficIsNoFinding() {
		register(RateLimitMode.ENFORCE).add(new AppliedLocation("rule /login"));
		look(Duration.ZERO);
		look(Duration.ofDays(60));
		assertThat(this.findings.list()).isEmpty();
	}

	@Test
	void monthInShadowBeginsWhenThePolicyIsPutThere() {
		decide(register(RateLimitMode.ENFORCE), 12);
		look(Duration.ZERO);
		look(Duration.ofDays(20));
		this.registry.change(policy(RateLimitMode.SHADOW)).make();
		look(Duration.ZERO);
		look(Duration.ofDays(20));
		assertThat(this.findings.list()).isEmpty();
	}

	@Test
	void keysThatAreForgottenAreFound() {
		StoreRateLimiter login = register(RateLimitMode.ENFORCE);
		for (int i = 0; login.evictions() == 0 && i < 100_000; i++) {
			login.decide("key" + i, 1);
		}
		look(Duration.ZERO);
		assertFound(FindingCode.EVICTED_KEYS);
	}

	@Test
	void expressionThatHasFailedIsFound() {
		register(RateLimitMode.ENFORCE).countFailure(RateLimitExpression.COST);
		look(Duration.ZERO);
		assertFound(FindingCode.FAILED_EXPRESSION);
	}

	@Test
	void planThatDoesNotExistIsFound() {
		PlanSettings settings = new PlanSettings((policy, key) -> "gone", Duration.ofMinutes(1), Duration.ofSeconds(30),
				10, this.clock);
		StoreRateLimiterRegistry planned = new StoreRateLimiterRegistry(this.store, List.of(), settings);
		planned
			.register(RateLimitPolicy.builder("login")
				.limits(List.of(TEN_A_DAY))
				.plans(Map.of("pro", RateLimitPlan.of(TEN_A_DAY)))
				.build())
			.decide("alice", 1);
		new TrafficFindings(planned, this.clock, this.findings).look();
		assertFound(FindingCode.UNKNOWN_PLAN);
	}

	private void look(Duration later) {
		this.clock.advance(later);
		this.traffic.look();
	}

	private void assertFound(FindingCode code) {
		assertThat(this.findings.list()).extracting(RateLimitFinding::code).containsExactly(code);
		assertThat(this.findings.list()).extracting(RateLimitFinding::policy).containsExactly("login");
	}

	private StoreRateLimiter register(RateLimitMode mode) {
		return this.registry.register(policy(mode));
	}

	private static RateLimitPolicy policy(RateLimitMode mode) {
		return RateLimitPolicy.builder("login").limits(List.of(TEN_A_DAY)).mode(mode).build();
	}

	private static void decide(StoreRateLimiter limiter, int requests) {
		for (int i = 0; i < requests; i++) {
			limiter.decide("alice", 1);
		}
	}

}
