package io.github.ratelimit.integration.webflux.slice;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.assertj.RateLimitResponseAssert;
import io.github.ratelimit.test.autoconfigure.AutoConfigureRateLimit;
import io.github.ratelimit.test.autoconfigure.RateLimitOutcomes;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.test.web.reactive.server.WebTestClient;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice has the limits of the application, each test all of its permits, and what is
 * forced goes the way of what the store decides. Redis is not part of a slice, and none
 * is running here.
 */
@WebFluxTest(properties = { "ratelimit.store=redis", "ratelimit.policies.login.limit=1",
		"ratelimit.policies.login.window=1h", "ratelimit.rules[0].path=/login", "ratelimit.rules[0].policy=login" })
@AutoConfigureRateLimit(manualClock = true)
class WebFluxSliceTests {

	@Autowired
	private WebTestClient client;

	@Autowired
	private ManualClock clock;

	@Autowired
	private RateLimitOutcomes outcomes;

	@Autowired
	private RateLimiterRegistry registry;

	@ParameterizedTest
	@ValueSource(strings = { "/search", "/history?user=me", "/login", "/search", "/history?user=me", "/login" })
	void secondRequestIsRejectedInEveryTestAnewUntilTheClockMoves(String uri) {
		get(uri).isAllowed();
		get(uri).isRateLimited().hasRetryAfter(Duration.ofHours(1));
		this.clock.advance(Duration.ofHours(1));
		get(uri).isAllowed();
	}

	@ParameterizedTest
	@EnumSource(names = "RETURNED", mode = EnumSource.Mode.EXCLUDE)
	void outcomeIsForcedOnAnnotationsAndRules(RateLimitOutcome outcome) {
		this.outcomes.forceAll(outcome);
		boolean allowed = outcome == RateLimitOutcome.ALLOWED || outcome == RateLimitOutcome.DELAYED;
		int status = allowed ? 200 : (outcome == RateLimitOutcome.UNAVAILABLE) ? 503 : 429;
		for (String uri : List.of("/search", "/history?user=me", "/login", "/queue")) {
			this.client.get().uri(uri).exchange().expectStatus().isEqualTo(status);
		}
	}

	@Test
	void rejectedRequestHasFieldsAndAProblemAndIsCounted() {
		this.outcomes.force("login", RateLimitOutcome.REJECTED);
		get("/login").isRateLimited()
			.hasRetryAfter(Duration.ofMinutes(1))
			.hasRemaining("login", 0)
			.hasViolatedPolicies("login");
		assertThat(this.registry.policy("login").count(RateLimitOutcome.REJECTED)).isPositive();
		this.outcomes.force("login", RateLimitOutcome.BANNED, Duration.ofHours(2));
		get("/login").isBanned().hasRetryAfter(Duration.ofHours(2));
	}

	@Test
	void delayedRequestWaits() {
		this.outcomes.force("queue", RateLimitOutcome.DELAYED, Duration.ofMillis(50));
		long start = System.nanoTime();
		get("/queue").isAllowed();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
		assertThat(this.registry.policy("queue").count(RateLimitOutcome.DELAYED)).isPositive();
	}

	@RepeatedTest(2)
	void everyTestBeginsWithNothingForced() {
		get("/login").isAllowed();
		this.outcomes.forceAll(RateLimitOutcome.REJECTED);
	}

	private RateLimitResponseAssert get(String uri) {
		return assertThat(this.client.get().uri(uri).exchange());
	}

}
