package io.github.ratelimit.web;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RateLimitHeaders} and {@link RateLimitProblem}.
 */
class RateLimitHeadersTests extends AskedPolicies {

	@Test
	void aRejectionByACalendarIsUntilItsNextWindow() {
		RateLimitPolicy quota = policy("quota", CalendarModel.limit(1, "P1D", "Asia/Kathmandu", null));
		take(quota, 1);
		take(quota, 1);
		assertThat(retryFields()).containsEntry("Retry-After", "65700");
		assertThat(fields()).containsEntry("RateLimit-Policy", "\"quota\";q=1")
			.containsEntry("RateLimit", "\"quota\";r=0;t=65700")
			.containsEntry("X-RateLimit-Reset", "65700");
	}

	@Test
	void whereNothingCanBecomeAvailableNoTimeIsSaid() {
		take(policy("search", bucket(60, "1m", 60)), 0);
		assertThat(fields()).containsEntry("RateLimit", "\"search\";r=60").containsEntry("X-RateLimit-Reset", "0");
	}

	@Test
	void aFullBucketIsNotUsedUpBeforeItHasEarnedAsMuchAgain() {
		take(policy("search", bucket(1_000, "1d", 1_000)), 1);
		assertThat(fields()).containsEntry("RateLimit", "\"search\";r=999;t=86314")
			.containsEntry("X-RateLimit-Reset", "87");
	}

	@Test
	void anEmptyBucketTellsWhenItIsFull() {
		take(policy("search", bucket(1_000, "1d", 1_000)), 600);
		assertThat(fields()).containsEntry("RateLimit", "\"search\";r=400;t=51840");
		take(this.limiter.policy("search").policy(), 400);
		this.clock.advance(Duration.ofSeconds(86));
		take(policy("leaky", leaky(1, "10s", 2)), 1);
		assertThat(latestRateLimit()).isEqualTo("\"search\";r=0;t=86400, \"leaky\";r=2;t=20");
	}

	@Test
	void aWindowTellsWhenThereIsMore() {
		take(policy("log", RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(1))), 1);
		this.clock.advance(Duration.ofSeconds(48));
		take(this.limiter.policy("log").policy(), 1);
		assertThat(latestRateLimit()).isEqualTo("\"log\";r=3;t=12");
	}

	/*
	 * A client that spreads what remains over the effective window keeps the policy's
	 * rate.
	 */
	@Test
	void noBucketInvitesToMoreThanItsRateOrSendsBackBeforeItsWindowEnds() {
		RandomCases.check(300, (random) -> {
			RateLimitPolicy policy = RandomLimits.policy(random, 1, 63);
			RateLimit limit = policy.limits().get(0);
			DraftItem item = new DraftItem("any", limit);
			boolean bucket = limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET
					|| limit.algorithm() == RateLimitAlgorithm.LEAKY_BUCKET;
			try (LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100)) {
				PolicyDecider states = store.open(policy);
				RateLimitDecision decision = states.decide("key", 0);
				for (int i = 0; i < 50; i++) {
					long permits = RandomLimits.permits(random, decision, limit.capacity());
					decision = random.nextBoolean() ? states.decide("key", permits)
							: states.decideWithoutDelay("key", permits);
					LimitStatus status = decision.limits().get(0);
					long window = item.effectiveWindow(status, status.remaining());
					double permitsInWindow = (double) window * limit.limit() * 1e9 / limit.window().toNanos();
					if (bucket && status.allowed() && window > 0) {
						assertThat(permitsInWindow).isGreaterThanOrEqualTo(status.remaining() * 0.999_999);
						assertThat(window * 1_000_000_000L).isGreaterThanOrEqualTo(status.resetAfterNanos());
					}
					if (!status.allowed() && decision.retryAfterNanos() != LimitStatus.NEVER) {
						assertThat(window).isLessThanOrEqualTo(RateLimitHeaders.retryAfterSeconds(decision));
					}
					this.clock.advanceNanos(RandomLimits.pause(random, decision, limit));
				}
			}
		});
	}

	@Test
	void theLimitIsWhatRemainingCountsDownFrom() {
		take(policy("feed", bucket(60, "1m", 3)), 1);
		assertThat(fields()).containsEntry("RateLimit-Policy", "\"feed\";q=60;w=60")
			.containsEntry("X-RateLimit-Limit", "3")
			.containsEntry("X-RateLimit-Remaining", "2");
	}

	@Test
	void theLimitOfALeakyBucketIsWhatItLetsPassAndWait() {
		take(policy("uploads", leaky(1, "1s", 4)), 1);
		assertThat(fields()).containsEntry("X-RateLimit-Limit", "5").containsEntry("X-RateLimit-Remaining", "4");
	}

	@Test
	void resetCanBeATimeOfTheEpoch() {
		this.clock.advance(Duration.ofMillis(20_500));
		take(policy("search", fixed(100, "1m")), 1);
		long midnight = this.clock.nanos() / 1_000_000_000L - 20;
		assertThat(fields(ResetFormat.EPOCH, PolicyNames.FULL)).containsEntry("X-RateLimit-Reset", "" + (midnight + 60))
			.containsEntry("RateLimit", "\"search\";r=99;t=40");
	}

	private String latestRateLimit() {
		Map<String, String> fields = new LinkedHashMap<>();
		this.headers.write(latest(this.acquisition.entries()), into(fields));
		return fields.get("RateLimit");
	}

	private static RateLimit leaky(long limit, String window, long burst) {
		return RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(limit)
			.window(duration(window))
			.burst(burst)
			.build();
	}

	@Test
	void severalPoliciesAreMergedAndTheTightestLimitCounts() {
		take(policy("wide", fixed(1_000, "1s")), 1);
		take(policy("tight", fixed(3, "1d")), 1);
		assertThat(fields()).containsEntry("RateLimit-Policy", "\"wide\";q=1000;w=1, \"tight\";q=3;w=86400")
			.containsEntry("RateLimit", "\"wide\";r=999;t=1, \"tight\";r=2;t=86400")
			.containsEntry("X-RateLimit-Limit", "3")
			.containsEntry("X-RateLimit-Remaining", "2")
			.containsEntry("X-RateLimit-Reset", "86400");
	}

	@ParameterizedTest
	@CsvSource({ "1m, 1h", "1h, 1m" })
	void ofEquallyManyPermitsTheLimitThatTakesLongestIsTheTightest(String first, String second) {
		RateLimitPolicy policy = policy("search", fixed(1, first), fixed(1, second));
		for (int i = 0; i < 2; i++) {
			take(policy, 1);
			assertThat(fields()).containsEntry("X-RateLimit-Reset", "3600");
		}
	}

	@Test
	void theLimitThatRejectsIsTheTightest() {
		take(policy("low", fixed(2, "1m")), 1);
		take(policy("high", fixed(10, "1m")), 11);
		assertThat(fields()).containsEntry("X-RateLimit-Limit", "10");
	}

	@Test
	void retryIsWholeSecondsRoundedUp() {
		RateLimitPolicy policy = policy("search", bucket(2, "3s", 1));
		take(policy, 1);
		this.clock.advance(Duration.ofMillis(300));
		take(policy, 1);
		assertThat(retryFields())
			.containsExactlyInAnyOrderEntriesOf(Map.of("Retry-After", "2", "X-RateLimit-Retry-After", "2"));
		assertThat(fields()).containsEntry("RateLimit", "\"search\";r=0;t=2");
	}

	/*
	 * So that Retry-After is never earlier than the "t" of a limit that rejects.
	 */
	@Test
	void aRejectionThatEndsIsNotBeforeItsLimitsHaveMore() {
		RandomCases.check(300, (random) -> {
			RateLimitPolicy policy = RandomLimits.policy(random, 1, 63);
			try (LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100)) {
				PolicyDecider states = store.open(policy);
				long capacity = policy.limits().stream().mapToLong(RateLimit::capacity).min().orElseThrow();
				RateLimitDecision decision = states.decide("key", 0);
				for (int i = 0; i < 50; i++) {
					long permits = RandomLimits.permits(random, decision, capacity);
					decision = random.nextBoolean() ? states.decide("key", permits)
							: states.decideWithoutDelay("key", permits);
					long retry = decision.retryAfterNanos();
					if (!decision.allowed() && retry != RateLimitDecision.NEVER) {
						assertThat(decision.limits()).filteredOn((limit) -> !limit.allowed())
							.allMatch((limit) -> limit.nextPermitAfterNanos() <= retry);
					}
					RateLimit any = policy.limits().get(random.nextInt(policy.limits().size()));
					this.clock.advanceNanos(RandomLimits.pause(random, decision, any));
				}
			}
		});
	}

	@Test
	void retryIsAtLeastASecond() {
		RateLimitPolicy policy = policy("search", fixed(1, "10ms"));
		take(policy, 1);
		take(policy, 1);
		assertThat(retryFields()).containsEntry("Retry-After", "1");
	}

	@Test
	void whatCanNeverPassIsNotTold() {
		take(policy("search", fixed(1, "1m")), 2);
		assertThat(this.acquisition.rejection()).isNotNull();
		assertThat(retryFields()).isEmpty();
	}

	@Test
	void onlyTheFamiliesThatAreWantedAreSent() {
		take(policy("search", fixed(1, "1m")), 1);
		take(this.limiter.policy("search").policy(), 1);
		assertThat(fields(new RateLimitHeaders(Set.of(HeaderFamily.RATE_LIMIT)))).containsOnlyKeys("RateLimit-Policy",
				"RateLimit", "Retry-After");
		assertThat(fields(new RateLimitHeaders(Set.of(HeaderFamily.X_RATE_LIMIT)))).containsOnlyKeys(
				"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After",
				"X-RateLimit-Retry-After");
		assertThat(fields(new RateLimitHeaders(Set.of()))).containsOnlyKeys("Retry-After");
	}

	@Test
	void theProblemNamesTheLimitsThatRejected() {
		RateLimitPolicy policy = policy("lo\"gin", fixed(1, "1m"), fixed(100, "1h"));
		take(policy, 1);
		take(policy, 1);
		RateLimitProblem problem = new RateLimitProblem(this.headers);
		byte[] body = problem.body(policy, rejection().decision());
		assertThat(new String(body)).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
				"title":"Request cannot be satisfied as assigned quota has been exceeded",\
				"status":429,"violated-policies":["lo\\"gin-1m"]}""");
		assertThat(problem.body(policy, rejection().decision())).isSameAs(body);
	}

	@Test
	void aDecisionOfAUsersOwnThatHasNotOneStatusForEachLimitIsWrittenAsFarAsItGoes() {
		RateLimitPolicy policy = policy("login", fixed(5, "1m"), fixed(100, "1h"));
		RateLimitDecision one = RateLimitDecisions.rejected(0, 0, 1, 1, 1);
		for (int statuses = 0; statuses < 4; statuses++) {
			RateLimitDecision decision = mock(RateLimitDecision.class);
			given(decision.limits()).willReturn(Collections.nCopies(statuses, one));
			PermitRequest request = PermitRequest.of(this.limiter.policy("login"), "somebody", 1);
			Map<String, String> fields = new LinkedHashMap<>();
			this.headers.write(List.of(new Acquisition.Entry(request, decision)), into(fields));
			assertThat(fields).hasSize((statuses > 0) ? 5 : 0);
			assertThat(new RateLimitProblem(this.headers).body(policy, decision)).isNotEmpty();
		}
	}

	private Map<String, String> retryFields() {
		Map<String, String> fields = new LinkedHashMap<>();
		this.headers.writeRetry(rejection().decision(), into(fields));
		return fields;
	}

	private Map<String, String> fields(RateLimitHeaders headers) {
		Map<String, String> fields = new LinkedHashMap<>();
		headers.write(latest(this.acquisition.entries()), into(fields));
		headers.writeRetry(rejection().decision(), into(fields));
		return fields;
	}

}
