package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitThresholdEvent;
import io.github.ratelimit.Threads;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What listeners are told when keys use up shares of limits.
 */
class ThresholdTests extends LocalPolicies {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final BlockingQueue<RateLimitThresholdEvent> told = new LinkedBlockingQueue<>();

	private final StoreRateLimiterRegistry registry = registry(new Listener());

	private final StoreRateLimiter marker = warning("marker", window(1), 100);

	private final AtomicInteger markers = new AtomicInteger();

	private StoreRateLimiter warning(String name, RateLimit limit, int... shares) {
		return this.registry.register(RateLimitPolicy.builder(name).limit(limit).warnAt(shares).build());
	}

	/*
	 * All are told in turn, so that one for a key of its own comes after all before it.
	 */
	private List<String> told() throws InterruptedException {
		String last = "marker " + this.markers.incrementAndGet();
		this.marker.decide(last, 1);
		List<String> told = new ArrayList<>();
		while (true) {
			RateLimitThresholdEvent event = this.told.poll(1, TimeUnit.MINUTES);
			assertThat(event).isNotNull();
			if (event.key().equals(last)) {
				return told;
			}
			told.add(event.key() + " " + event.share() + "% of " + event.limit().limit());
		}
	}

	private static void decide(StoreRateLimiter limiter, String key, int times) {
		for (int i = 0; i < times; i++) {
			limiter.decide(key, 1);
		}
	}

	@Test
	void aShareIsToldByTheRequestThatUsesItsLastPermit() throws InterruptedException {
		StoreRateLimiter limiter = warning("api", window(10), 100, 80);
		decide(limiter, "alice", 7);
		limiter.peek("alice");
		assertThat(told()).isEmpty();
		limiter.decide("alice", 1);
		assertThat(told()).containsExactly("alice 80% of 10");
		decide(limiter, "alice", 1);
		decide(limiter, "bob", 1);
		assertThat(told()).isEmpty();
		decide(limiter, "alice", 1);
		assertThat(told()).containsExactly("alice 100% of 10");
		decide(limiter, "alice", 3);
		assertThat(told()).isEmpty();
		assertThat(limiter.countThresholds(80)).isEqualTo(1);
		assertThat(limiter.countThresholds(100)).isEqualTo(1);
		assertThat(limiter.countThresholds(50)).isZero();
	}

	@Test
	void theEventSaysWhichPolicyAndWhenTheLimitResets() throws InterruptedException {
		StoreRateLimiter limiter = warning("api", window(4), 50);
		this.clock.advance(Duration.ofSeconds(20));
		limiter.decide("alice", 2);
		RateLimitThresholdEvent event = this.told.poll(1, TimeUnit.MINUTES);
		assertThat(event).isEqualTo(new RateLimitThresholdEvent(limiter.policy(), "alice", window(4), 50,
				Instant.parse("2026-03-05T00:01:00Z")));
		assertThat(event).asString()
			.isEqualTo("A key has used 50% of the limit " + window(4)
					+ " of the rate limit policy 'api', until 2026-03-05T00:01:00Z");
	}

	@Test
	void aRequestOfManyPermitsCrossesAllSharesBetween() throws InterruptedException {
		StoreRateLimiter limiter = warning("api", window(10), 1, 50, 80, 100);
		limiter.decide("alice", 9);
		assertThat(told()).containsExactly("alice 1% of 10", "alice 50% of 10", "alice 80% of 10");
		limiter.decide("alice", 2);
		limiter.decide("bob", 11);
		assertThat(told()).isEmpty();
	}

	@Test
	void aShareIsRoundedUpToWholePermits() throws InterruptedException {
		StoreRateLimiter limiter = warning("api", window(3), 50);
		limiter.decide("alice", 1);
		assertThat(told()).isEmpty();
		limiter.decide("alice", 1);
		assertThat(told()).containsExactly("alice 50% of 3");
	}

	@Test
	void eachWindowIsToldOfAnew() throws InterruptedException {
		StoreRateLimiter limiter = warning("api", window(2), 100);
		for (int i = 0; i < 3; i++) {
			decide(limiter, "alice", 3);
			assertThat(told()).containsExactly("alice 100% of 2");
			this.clock.advance(MINUTE);
		}
	}

	@Test
	void whoWaitsForAReservedPermitCrossesNothing() throws InterruptedException {
		StoreRateLimiter limiter = this.registry
			.register(RateLimitPolicy.builder("api").limit(window(2)).maxWait(MINUTE).warnAt(100).build());
		decide(limiter, "alice", 2);
		assertThat(told()).containsExactly("alice 100% of 2");
		assertThat(limiter.decide("alice", 1).delayNanos()).isPositive();
		assertThat(told()).isEmpty();
	}

	@Test
	void aCalendarWindowIsToldOfOnce() throws InterruptedException {
		RateLimit month = RateLimit.builder(RateLimitAlgorithm.FIXED_WINDOW_COUNTER)
			.limit(2)
			.window(CalendarWindow.of(Period.ofMonths(1), ZoneId.of("Europe/Berlin")))
			.build();
		StoreRateLimiter limiter = warning("quota", month, 100);
		decide(limiter, "alice", 3);
		RateLimitThresholdEvent event = this.told.poll(1, TimeUnit.MINUTES);
		assertThat(event).isNotNull();
		assertThat(event.resetAt()).isEqualTo("2026-03-31T22:00:00Z");
		assertThat(told()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = "FIXED_WINDOW_COUNTER", mode = EnumSource.Mode.EXCLUDE)
	void whereEachPermitComesBackByItselfAShareIsToldAtMostOnceAWindow(RateLimitAlgorithm algorithm)
			throws InterruptedException {
		RateLimit.Builder limit = RateLimit.builder(algorithm).limit(60).window(MINUTE);
		if (algorithm == RateLimitAlgorithm.LEAKY_BUCKET) {
			limit.burst(59L).nodelay(true);
		}
		StoreRateLimiter limiter = warning("api", limit.build(), 100);
		decide(limiter, "alice", 60);
		for (int i = 0; i < 30; i++) {
			this.clock.advance(Duration.ofMillis(1999));
			decide(limiter, "alice", 10);
		}
		assertThat(told()).containsExactly("alice 100% of 60");
		this.clock.advance(MINUTE);
		this.clock.advance(MINUTE);
		decide(limiter, "alice", 60);
		assertThat(told()).containsExactly("alice 100% of 60");
	}

	@Test
	void eachLimitOfAPolicyHasItsShares() throws InterruptedException {
		StoreRateLimiter limiter = this.registry.register(RateLimitPolicy.builder("api")
			.limit(window(10))
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofSeconds(1)))
			.warnAt(80)
			.build());
		limiter.decide("alice", 4);
		assertThat(told()).containsExactly("alice 80% of 5");
		this.clock.advance(Duration.ofSeconds(1));
		limiter.decide("alice", 4);
		assertThat(told()).containsExactly("alice 80% of 10", "alice 80% of 5");
	}

	@Test
	void ofPermitsThatAreTakenAgainAfterARefundNothingIsToldAgain() throws InterruptedException {
		StoreRateLimiter limiter = warning("api", window(2), 100);
		limiter.decide("alice", 1);
		for (int i = 0; i < 3; i++) {
			RateLimitDecision given = limiter.decide("alice", 1);
			limiter.refund("alice", 1, given);
		}
		assertThat(told()).containsExactly("alice 100% of 2");
	}

	@Test
	void aKeyThatWasResetIsToldOfAgain() throws InterruptedException {
		StoreRateLimiter limiter = warning("api", window(2), 100);
		decide(limiter, "alice", 2);
		limiter.reset("alice");
		decide(limiter, "alice", 2);
		assertThat(told()).containsExactly("alice 100% of 2", "alice 100% of 2");
	}

	@ParameterizedTest
	@EnumSource
	void whatIsChargedLateCrossesToo(RateLimitAlgorithm algorithm) throws InterruptedException {
		RateLimit.Builder limit = RateLimit.builder(algorithm).limit(10).window(MINUTE);
		if (algorithm == RateLimitAlgorithm.LEAKY_BUCKET) {
			limit.burst(9L).nodelay(true);
		}
		StoreRateLimiter limiter = this.registry
			.register(RateLimitPolicy.builder("api").charge("result").limit(limit.build()).warnAt(50, 80, 100).build());
		RateLimitDecision given = limiter.decide("alice", 1);
		limiter.settle("alice", 1, 6, given);
		assertThat(told()).containsExactly("alice 50% of 10");
		limiter.settle("alice", 1, 1, limiter.decide("alice", 1));
		RateLimitDecision last = limiter.decide("alice", 1);
		assertThat(told()).containsExactly("alice 80% of 10");
		limiter.settle("alice", 1, 8, last);
		assertThat(told()).containsExactly("alice 100% of 10");
		limiter.settle("alice", 1, 5, last);
		assertThat(told()).isEmpty();
	}

	@Test
	void ofSeveralLimitsEachIsChargedLate() throws InterruptedException {
		StoreRateLimiter limiter = this.registry.register(RateLimitPolicy.builder("api")
			.charge("result")
			.limit(window(10))
			.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 20, MINUTE))
			.warnAt(80)
			.build());
		limiter.settle("alice", 1, 8, limiter.decide("alice", 1));
		assertThat(told()).containsExactly("alice 80% of 10");
		limiter.settle("alice", 1, 9, limiter.decide("alice", 1));
		assertThat(told()).containsExactly("alice 80% of 20");
	}

	@Test
	void aPlanHasSharesOfItsOwnLimits() throws InterruptedException {
		StoreRateLimiterRegistry planned = planned((policy, key) -> key.equals("pro") ? "pro" : null, new Listener());
		StoreRateLimiter limiter = planned.register(RateLimitPolicy.builder("api")
			.limit(window(2))
			.plans(Map.of("pro", RateLimitPlan.of(List.of(window(4)))))
			.warnAt(100)
			.build());
		decide(limiter, "pro", 4);
		RateLimitThresholdEvent event = this.told.poll(1, TimeUnit.MINUTES);
		assertThat(event).isNotNull();
		assertThat(event.limit()).isEqualTo(window(4));
		assertThat(event.policy().limits()).containsExactly(window(4));
	}

	@Test
	void underAnOverrideTheSharesAreThoseOfItsLimits() throws InterruptedException {
		StoreRateLimiter limiter = warning("api", window(10), 80);
		decide(limiter, "alice", 6);
		this.registry.overrides().put(RateLimitOverride.of("api").limits(List.of(window(20))).build());
		decide(limiter, "alice", 5);
		assertThat(told()).isEmpty();
		decide(limiter, "alice", 5);
		assertThat(told()).containsExactly("alice 80% of 20");
		this.registry.overrides().put(RateLimitOverride.of("api").limits(List.of(window(18))).build());
		decide(limiter, "alice", 2);
		assertThat(told()).isEmpty();
	}

	@Test
	void whatIsTakenForSeveralPoliciesAtOnceIsToldIfAllAllow() throws InterruptedException {
		StoreRateLimiter first = warning("first", window(2), 100);
		StoreRateLimiter second = warning("second", window(1), 100);
		List<PermitRequest> both = List.of(PermitRequest.of(first, "alice", 1), PermitRequest.of(second, "alice", 1));
		assertThat(new Acquisition(new WaitingRoom(this.clock, 9)).take(both)).isTrue();
		assertThat(told()).containsExactly("alice 100% of 1");
		assertThat(new Acquisition(new WaitingRoom(this.clock, 9)).take(both)).isFalse();
		assertThat(told()).isEmpty();
	}

	@Test
	void nobodyIsToldOfWhatIsTriedInShadow() throws InterruptedException {
		StoreRateLimiter shadow = this.registry
			.register(RateLimitPolicy.builder("tried").mode(RateLimitMode.SHADOW).limit(window(1)).warnAt(100).build());
		StoreRateLimiter beside = this.registry.register(RateLimitPolicy.builder("beside")
			.limit(window(9))
			.shadowLimits(List.of(window(1)))
			.warnAt(100)
			.build());
		decide(shadow, "alice", 2);
		decide(beside, "alice", 2);
		assertThat(told()).isEmpty();
	}

	@Test
	void aListenerThatFailsOrIsSlowKeepsNoRequestFromItsAnswer() throws InterruptedException {
		CountDownLatch hold = new CountDownLatch(1);
		StoreRateLimiterRegistry failing = registry(new RateLimitListener() {

			@Override
			public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
					RateLimitOutcome outcome) {
			}

			@Override
			public void onThreshold(RateLimitThresholdEvent event) {
				try {
					hold.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				throw new IllegalStateException("told");
			}

		}, new Listener());
		List<Object> observed = new ArrayList<>();
		failing.observeThresholds(observed::add);
		StoreRateLimiter limiter = failing
			.register(RateLimitPolicy.builder("api").limit(window(1)).warnAt(100).build());
		int most = 2 * ThresholdDelivery.MAX_WAITING;
		for (int i = 0; i < most; i++) {
			assertThat(limiter.decide("key " + i, 1).allowed()).isTrue();
		}
		assertThat(limiter.countThresholds(100)).isEqualTo(most);
		hold.countDown();
		for (int i = 0; i < ThresholdDelivery.MAX_WAITING; i++) {
			RateLimitThresholdEvent event = this.told.poll(1, TimeUnit.MINUTES);
			assertThat(event).isNotNull();
			assertThat(event.key()).isEqualTo("key " + i);
		}
		assertThat(observed).isNotEmpty();
	}

	@Test
	void ofManyThreadsExactlyOneCrosses() throws Exception {
		StoreRateLimiter limiter = warning("api", window(1000), 1, 50, 80, 100);
		for (int round = 0; round < 10; round++) {
			Threads.run(8, (thread) -> {
				decide(limiter, "alice", 200);
				return thread;
			});
			assertThat(told()).containsExactlyInAnyOrder("alice 1% of 1000", "alice 50% of 1000", "alice 80% of 1000",
					"alice 100% of 1000");
			this.clock.advance(MINUTE);
		}
	}

	@Test
	void whatIsRememberedIsBounded() throws InterruptedException {
		ThresholdDelivery delivery = new ThresholdDelivery(List.of(), List.of(), this.clock);
		ThresholdReports reports = new ThresholdReports(List.of(100), delivery, this.clock);
		RateLimitPolicy policy = RateLimitPolicy.of("api", bucket(1));
		RateLimitDecision last = RateLimitDecisions.allowed(0, 0, 0, MINUTE.toNanos(), 1);
		IntStream.rangeClosed(0, ThresholdReports.MAXIMUM)
			.forEach((i) -> reports.add(policy, "key " + i, 1, last, RateLimitOutcome.ALLOWED));
		reports.add(policy, "key 1", 1, last, RateLimitOutcome.ALLOWED);
		assertThat(reports.count(100)).isEqualTo(ThresholdReports.MAXIMUM + 1);
		reports.add(policy, "key 0", 1, last, RateLimitOutcome.ALLOWED);
		assertThat(reports.count(100)).isEqualTo(ThresholdReports.MAXIMUM + 2);
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 0, 101, Integer.MAX_VALUE })
	void aShareOutOfRangeIsInvalid(int share) {
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("api").limit(window(1)).warnAt(share);
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(builder::build)
			.withMessage("warn-at = " + share + "% is no share of a limit that a key can use up")
			.satisfies((ex) -> assertThat(ex.action()).isEqualTo("Use 1% to 100%, such as 80%."));
	}

	@Test
	void aShareThatIsThereTwiceIsInvalid() {
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("api").limit(window(1)).warnAt(80, 50, 80);
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(builder::build)
			.withMessage("warn-at = 80% is there twice");
	}

	private final class Listener implements RateLimitListener {

		@Override
		public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
		}

		@Override
		public void onThreshold(RateLimitThresholdEvent event) {
			ThresholdTests.this.told.add(event);
		}

	}

}
