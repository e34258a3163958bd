package io.github.ratelimit.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.ForeignDecision;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Tests for {@link HeaderSettings} and {@link RateLimitProblem}.
 */
class HeaderSettingsTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final RateLimiterRegistry registry = new StoreRateLimiterRegistry(new LocalRateLimitStore(this.clock, 100),
			List.of());

	private final HeaderSettings headers = new HeaderSettings(EnumSet.allOf(HeaderFamily.class), true,
			ResetFormat.SECONDS, PolicyNames.FULL, this.clock);

	private final Acquisition acquisition = new Acquisition(new WaitingRoom(this.clock, 9));

	private final Map<String, Long> costs = new HashMap<>();

	/*
	 * A bucket tells when it is full and has earned as much again as it has left, and
	 * Reset when it is full.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			FIXED_WINDOW_COUNTER | 100  | 1m |      | 1   | 100;w=60     | r=99;t=60     | 100  | 60
			TOKEN_BUCKET         | 60   | 1m | 60   | 0   | 60;w=60      | r=60          | 60   | 0
			TOKEN_BUCKET         | 1000 | 1d | 1000 | 1   | 1000;w=86400 | r=999;t=86314 | 1000 | 87
			TOKEN_BUCKET         | 1000 | 1d | 1000 | 600 | 1000;w=86400 | r=400;t=51840 | 1000 | 51840
			TOKEN_BUCKET         | 60   | 1m | 3    | 1   | 60;w=60      | r=2;t=2       | 3    | 1
			LEAKY_BUCKET         | 1    | 1s | 4    | 1   | 1;w=1        | r=4;t=4       | 5    | 1
			""")
	void aLimitTellsWhatIsLeftAndWhenThereIsMore(RateLimitAlgorithm algorithm, long limit, String window,
			@Nullable Long burst, long permits, String policy, String standing, String xLimit, String xReset) {
		take(policy("one", RateLimit.builder(algorithm).limit(limit).window(duration(window)).burst(burst).build()),
				permits);
		String remaining = standing.substring(2).split(";")[0];
		assertThat(fields()).containsExactlyInAnyOrderEntriesOf(
				Map.of("RateLimit-Policy", "\"one\";q=" + policy, "RateLimit", "\"one\";" + standing,
						"X-RateLimit-Limit", xLimit, "X-RateLimit-Remaining", remaining, "X-RateLimit-Reset", xReset));
	}

	@Test
	void aRejectionByACalendarIsUntilItsNextWindow() {
		RateLimitPolicy quota = policy("quota", CalendarModel.limit(1, "P1D", "Asia/Kathmandu", null));
		take(quota, 1);
		take(quota, 1);
		assertThat(fields()).containsEntry("Retry-After", "65700")
			.containsEntry("RateLimit-Policy", "\"quota\";q=1")
			.containsEntry("RateLimit", "\"quota\";r=0;t=65700")
			.containsEntry("X-RateLimit-Reset", "65700");
	}

	@Test
	void anEmptyBucketTellsWhenItIsFull() {
		take(policy("search", bucket(1_000, "1d", 1_000)), 600);
		assertThat(fields()).containsEntry("RateLimit", "\"search\";r=400;t=51840");
		take(this.registry.policy("search").policy(), 400);
		this.clock.advance(Duration.ofSeconds(86));
		take(policy("leaky", leaky(1, "10s", 2)), 1);
		assertThat(fields()).containsEntry("RateLimit", "\"search\";r=0;t=86400, \"leaky\";r=2;t=20");
	}

	@Test
	void aWindowTellsWhenThereIsMore() {
		take(policy("log", RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(1))), 1);
		this.clock.advance(Duration.ofSeconds(48));
		take(this.registry.policy("log").policy(), 1);
		assertThat(fields()).containsEntry("RateLimit", "\"log\";r=3;t=12");
	}

	/*
	 * A client that spreads what remains over the effective window keeps the policy's
	 * rate. Retry-After is never earlier than the "t" of a limit that rejects.
	 */
	@Test
	void noBucketInvitesToMoreThanItsRateOrSendsBackBeforeItsWindowEnds() {
		RandomCases.check(300, (random) -> {
			RateLimitPolicy policy = RandomLimits.policy(random, 1, 63);
			long capacity = policy.limits().stream().mapToLong(RateLimit::capacity).min().orElseThrow();
			try (LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100)) {
				PolicyDecider states = store.open(policy);
				RateLimitDecision decision = states.decide("key", 0);
				for (int i = 0; i < 50; i++) {
					long permits = RandomLimits.permits(random, decision, capacity);
					decision = random.nextBoolean() ? states.decide("key", permits)
							: states.decideWithoutDelay("key", permits);
					checkWindows(policy, decision);
					RateLimit any = policy.limits().get(random.nextInt(policy.limits().size()));
					this.clock.advanceNanos(RandomLimits.pause(random, decision, any));
				}
			}
		});
	}

	private static void checkWindows(RateLimitPolicy policy, RateLimitDecision decision) {
		for (int i = 0; i < policy.limits().size(); i++) {
			RateLimit limit = policy.limits().get(i);
			LimitStatus status = decision.limits().get(i);
			long window = new DraftItem("any", limit).effectiveWindow(status, status.allowed(), status.remaining(),
					status.resetAfterNanos());
			double permitsInWindow = (double) window * limit.limit() * 1e9 / limit.window().toNanos();
			boolean bucket = limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET
					|| limit.algorithm() == RateLimitAlgorithm.LEAKY_BUCKET;
			if (bucket && status.allowed() && window > 0) {
				assertThat(permitsInWindow).isGreaterThanOrEqualTo(status.remaining() * 0.999_999);
				assertThat(window * 1_000_000_000L).isGreaterThanOrEqualTo(status.resetAfterNanos());
			}
			if (!status.allowed() && decision.retryAfterNanos() != LimitStatus.NEVER) {
				assertThat(window).isLessThanOrEqualTo(HeaderSettings.retryAfterSeconds(decision));
				assertThat(status.nextPermitAfterNanos()).isLessThanOrEqualTo(decision.retryAfterNanos());
			}
		}
	}

	@Test
	void resetCanBeATimeOfTheEpoch() {
		this.clock.advance(Duration.ofMillis(20_500));
		take(policy("search", fixed(100, "1m")), 1);
		long midnight = this.clock.nanos() / 1_000_000_000L - 20;
		assertThat(fields(ResetFormat.EPOCH, PolicyNames.FULL)).containsEntry("X-RateLimit-Reset", "" + (midnight + 60))
			.containsEntry("RateLimit", "\"search\";r=99;t=40");
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
		assertThat(fields()).containsEntry("Retry-After", "2")
			.containsEntry("X-RateLimit-Retry-After", "2")
			.containsEntry("RateLimit", "\"search\";r=0;t=2");
	}

	@Test
	void retryIsAtLeastASecond() {
		RateLimitPolicy policy = policy("search", fixed(1, "10ms"));
		take(policy, 1);
		take(policy, 1);
		assertThat(fields()).containsEntry("Retry-After", "1");
	}

	@Test
	void whatCanNeverPassIsNotTold() {
		take(policy("search", fixed(1, "1m")), 2);
		assertThat(this.acquisition.rejection()).isNotNull();
		assertThat(fields()).doesNotContainKeys("Retry-After", "X-RateLimit-Retry-After");
	}

	@Test
	void onlyTheFamiliesThatAreWantedAreSent() {
		take(policy("search", fixed(1, "1m")), 1);
		take(this.registry.policy("search").policy(), 1);
		assertThat(fields(new HeaderSettings(Set.of(HeaderFamily.RATE_LIMIT), true, ResetFormat.SECONDS,
				PolicyNames.FULL, this.clock)))
			.containsOnlyKeys("RateLimit-Policy", "RateLimit", "Retry-After");
		assertThat(fields(new HeaderSettings(Set.of(HeaderFamily.X_RATE_LIMIT), true, ResetFormat.SECONDS,
				PolicyNames.FULL, this.clock)))
			.containsOnlyKeys("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After",
					"X-RateLimit-Retry-After");
		assertThat(fields(new HeaderSettings(Set.of(), true, ResetFormat.SECONDS, PolicyNames.FULL, this.clock)))
			.containsOnlyKeys("Retry-After");
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
			RateLimitDecision decision = ForeignDecision.mock();
			given(decision.limits()).willReturn(Collections.nCopies(statuses, one));
			PermitRequest request = PermitRequest.of(this.registry.policy("login"), "somebody", 1);
			Map<String, String> fields = new LinkedHashMap<>();
			into(fields, this.headers).write(List.of(new AcquisitionEntry(request, decision)), null);
			assertThat(fields).hasSize((statuses > 0) ? 5 : 0);
			assertThat(new RateLimitProblem(this.headers).body(policy, decision)).isNotEmpty();
		}
	}

	@Test
	void aVersionIsRenderedOnceByEachThatTellsOfIt() {
		RateLimitPolicy own = policy("search", fixed(100, "1m"));
		take(own, 1);
		EffectivePolicy version = this.acquisition.entries().get(0).effectivePolicy();
		HeaderSettings named = headers(ResetFormat.SECONDS, PolicyNames.SHORT);
		assertThat(fields()).containsEntry("RateLimit", "\"search\";r=99;t=60");
		Object text = version.attachment();
		assertThat(fields()).isNotEmpty();
		assertThat(version.attachment()).isSameAs(text);
		assertThat(fields(named)).containsEntry("RateLimit", "\"p1\";r=99;t=60");
		assertThat(named.names(own.withLimits(List.of(fixed(6000, "1m"))))).containsExactly("p1");
	}

	@Test
	void whatIsToldFurtherIsAddedAndWhatIsToldAnewIsNot() {
		take(policy("wide", fixed(1_000, "1s")), 1);
		take(policy("tight", fixed(3, "1d")), 1);
		List<AcquisitionEntry> both = this.acquisition.entries();
		Map<String, String> fields = new LinkedHashMap<>();
		ResponseFields response = into(fields, this.headers);
		response.write(both.subList(0, 1), null);
		assertThat(fields).containsEntry("RateLimit", "\"wide\";r=999;t=1").containsEntry("X-RateLimit-Limit", "1000");
		for (int i = 0; i < 2; i++) {
			response.write(both, null);
			assertThat(fields).containsEntry("RateLimit", "\"wide\";r=999;t=1, \"tight\";r=2;t=86400")
				.containsEntry("X-RateLimit-Remaining", "2");
		}
		response.write(both.subList(0, 1), null);
		assertThat(fields).containsEntry("RateLimit", "\"wide\";r=999;t=1").containsEntry("X-RateLimit-Limit", "1000");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					login | 5/1m 100/1h                    | "login-1m";q=5;w=60, "login-1h";q=100;w=3600   | "login-1m";r=4;t=60, "login-1h";r=99;t=3600
					login | 5/1m 100/1m                    | "login-1m";q=5;w=60, "login-1m-2";q=100;w=60   | "login-1m";r=4;t=60, "login-1m-2";r=99;t=60
					fast  | 5/500ms                        | "fast";q=5                                     | "fast";r=4;t=1
					a"bc  | 5/1m                           | "a\\"bc";q=5;w=60                              | "a\\"bc";r=4;t=60
					p     | 9/1500ms 9/90s                 | "p-1500ms";q=9, "p-90s";q=9;w=90               | "p-1500ms";r=8;t=2, "p-90s";r=8;t=90
					p     | 9/2d 9/1m                      | "p-2d";q=9;w=172800, "p-1m";q=9;w=60           | "p-2d";r=8;t=86400, "p-1m";r=8;t=60
					""")
	void eachLimitIsNamedByItsPolicyAndWhereThereAreSeveralByItsWindow(String name, String limits, String policies,
			String standings) {
		take(policy(name,
				Stream.of(limits.split(" "))
					.map((limit) -> limit.split("/"))
					.map((limit) -> fixed(Long.parseLong(limit[0]), limit[1]))
					.toArray(RateLimit[]::new)),
				1);
		assertThat(fields()).containsEntry("RateLimit-Policy", policies).containsEntry("RateLimit", standings);
	}

	@Test
	void aWindowOfACalendarIsLeftOutAndNamedByItsPeriod() {
		take(policy("quota", CalendarModel.limit(10_000, "P1M", "UTC", null), fixed(100, "1m"),
				CalendarModel.limit(20_000, "P1M", "Asia/Tokyo", null)), 1);
		assertThat(fields())
			.containsEntry("RateLimit-Policy",
					"\"quota-month\";q=10000, \"quota-1m\";q=100;w=60, \"quota-month-2\";q=20000")
			.containsEntry("RateLimit",
					"\"quota-month\";r=9999;t=2332800, \"quota-1m\";r=99;t=60, \"quota-month-2\";r=19999;t=2300400");
	}

	@Test
	void shortNamesAreNumbersInTheOrderOfDefinition() {
		RateLimitPolicy second = policy("Z.secret", fixed(10, "1m"));
		RateLimitPolicy third = policy("A.secret", fixed(5, "1m"), fixed(100, "1h"));
		take(third, 1);
		take(second, 11);
		Map<String, String> fields = fields(ResetFormat.SECONDS, PolicyNames.SHORT);
		assertThat(fields).containsEntry("RateLimit-Policy",
				"\"p2-1m\";q=5;w=60, \"p2-1h\";q=100;w=3600, \"p1\";q=10;w=60");
		assertThat(fields.get("RateLimit")).startsWith("\"p2-1m\";r=").doesNotContain("secret");
		assertThat(violated(PolicyNames.SHORT, second)).isEqualTo("[\"p1\"]");
	}

	@Test
	void withoutNamesTheTightestLimitAloneIsSent() {
		RateLimitPolicy policy = policy("login", fixed(5, "1m"), fixed(5, "1h"));
		take(policy("secret", fixed(100, "1m")), 1);
		take(policy, 5);
		take(policy, 1);
		assertThat(fields(ResetFormat.SECONDS, PolicyNames.NONE))
			.containsEntry("RateLimit-Policy", "\"default\";q=5;w=3600")
			.containsEntry("RateLimit", "\"default\";r=0;t=3600")
			.containsEntry("X-RateLimit-Limit", "5");
		assertThat(violated(PolicyNames.NONE, policy)).isEqualTo("[\"default\"]");
	}

	private String violated(PolicyNames names, RateLimitPolicy policy) {
		String body = new String(
				new RateLimitProblem(headers(ResetFormat.SECONDS, names)).body(policy, rejection().decision()));
		return body.substring(body.indexOf('[', body.indexOf("violated-policies")), body.length() - 1);
	}

	private Map<String, String> fields() {
		return fields(this.headers);
	}

	private Map<String, String> fields(ResetFormat reset, PolicyNames names) {
		return fields(headers(reset, names));
	}

	/* As a response tells: the latest answer of each policy, and when to come back. */
	private Map<String, String> fields(HeaderSettings headers) {
		Map<String, String> fields = new LinkedHashMap<>();
		AcquisitionEntry rejection = this.acquisition.rejection();
		into(fields, headers).write(latest(this.acquisition.entries()),
				(rejection != null) ? rejection.decision() : null);
		return fields;
	}

	private HeaderSettings headers(ResetFormat reset, PolicyNames names) {
		HeaderSettings headers = new HeaderSettings(EnumSet.allOf(HeaderFamily.class), true, reset, names, this.clock);
		this.registry.observe(headers::prepare);
		return headers;
	}

	private RateLimitPolicy policy(String name, RateLimit... limits) {
		RateLimitPolicy policy = RateLimitPolicy.of(name, limits);
		this.registry.register(policy);
		return policy;
	}

	/* A request pays once, so that it takes more by costing more. */
	private void take(RateLimitPolicy policy, long permits) {
		long cost = this.costs.merge(policy.name(), permits, Long::sum);
		this.acquisition.take(List.of(PermitRequest.of(this.registry.policy(policy.name()), "somebody", cost)));
	}

	private AcquisitionEntry rejection() {
		AcquisitionEntry rejection = this.acquisition.rejection();
		assertThat(rejection).isNotNull();
		return rejection;
	}

	/* The acquisition keeps each answer; a response tells the latest of each policy. */
	private static List<AcquisitionEntry> latest(List<AcquisitionEntry> entries) {
		Map<Object, AcquisitionEntry> latest = new LinkedHashMap<>();
		entries.forEach((entry) -> latest.put(entry.request().limiter(), entry));
		return List.copyOf(latest.values());
	}

	private static ResponseFields into(Map<String, String> fields, HeaderSettings headers) {
		return new ResponseFields(headers) {

			@Override
			protected void set(HeaderName name, byte[] value) {
				fields.put(name.text(), new String(value, StandardCharsets.US_ASCII));
			}

		};
	}

	private static RateLimit fixed(long limit, String window) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, duration(window));
	}

	private static RateLimit bucket(long limit, String window, long burst) {
		return RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
			.limit(limit)
			.window(duration(window))
			.burst(burst)
			.build();
	}

	private static Duration duration(String text) {
		return DurationStyle.detectAndParse(text);
	}

}
