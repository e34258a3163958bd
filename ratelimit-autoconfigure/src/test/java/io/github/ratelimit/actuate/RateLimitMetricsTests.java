package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.autoconfigure.FixedAnswerStore;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedPlace;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.test.ManualClock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimitMetricsTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private @Nullable RateLimitStoreAvailability availability;

	@Test
	void requestsAreCountedByPolicyAndOutcome() {
		RateLimiter login = login(store(1000));
		RateLimitDecision first = login.decide("me", 1);
		login.decide("me", 1);
		login.decide("me", 1);
		login.peek("me");
		login.refund("me", 1, first);
		assertThat(requests("allowed")).isEqualTo(2);
		assertThat(requests("rejected")).isEqualTo(1);
		assertThat(requests("returned")).isEqualTo(1);
	}

	@Test
	void whatCannotHappenHasNoSeries() {
		login(store(1000));
		assertThat(series("ratelimit.requests", "outcome")).containsExactlyInAnyOrder("enforce allowed",
				"enforce rejected", "enforce returned");
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactly("key");
		assertThat(this.registry.find("ratelimit.fallbacks").meters()).isEmpty();
	}

	@Test
	void whatCanHappenHasASeriesFromTheStart() {
		this.availability = new Unavailable();
		RateLimit queue = RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1));
		limiter(store(1000)).register(RateLimitPolicy.builder("login")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1)))
			.shadowLimits(List.of(queue))
			.ban(RateLimitBan.builder().build())
			.plans(Map.of("pro", RateLimitPlan.of(queue)))
			.build());
		assertThat(series("ratelimit.requests", "outcome")).containsExactlyInAnyOrder("enforce allowed",
				"enforce delayed", "enforce rejected", "enforce queue_full", "enforce banned", "enforce unavailable",
				"enforce returned", "shadow allowed", "shadow delayed", "shadow rejected", "shadow banned");
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactlyInAnyOrder("key", "plan");
		assertThat(this.registry.get("ratelimit.fallbacks").meters()).hasSize(1);
		assertThat(this.registry.get("ratelimit.shadow.dropped").meters()).hasSize(1);
	}

	@Test
	void expressionsOfAPlaceHaveASeriesOnceThePlaceIsKnown() {
		StoreRateLimiter login = (StoreRateLimiter) login(store(1000));
		login.add(new AppliedPlace("rule /login", null, "cost", null, null));
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactlyInAnyOrder("key", "cost");
		assertThat(this.registry.find("ratelimit.settlements").meters()).isEmpty();
		login.add(new AppliedPlace("Service.login()", null, null, "condition", "charge"));
		assertThat(series("ratelimit.expression.failures", "expression")).containsExactlyInAnyOrder("key", "cost",
				"condition", "charge");
		assertThat(series("ratelimit.settlements", "outcome")).containsExactlyInAnyOrder("kept", "returned", "charged");
	}

	@Test
	void whatAnOverrideMakesPossibleHasASeriesFromThenOn() {
		RateLimiterRegistry limiters = limiter(store(1000));
		RateLimit one = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofMinutes(1));
		limiters.register(policy("login", one));
		limiters.overrides().put(RateLimitOverride.of("login").limit(one).build());
		assertThat(series("ratelimit.requests", "outcome")).noneMatch((series) -> series.endsWith("delayed"));
		limiters.overrides()
			.put(RateLimitOverride.of("login")
				.limit(RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1)))
				.build());
		assertThat(series("ratelimit.requests", "outcome")).contains("enforce delayed", "enforce queue_full")
			.noneMatch((series) -> series.startsWith("shadow"));
		limiters.overrides().put(RateLimitOverride.of("login").mode(RateLimitMode.SHADOW).build());
		assertThat(series("ratelimit.requests", "outcome")).contains("shadow allowed", "shadow delayed",
				"shadow rejected");
	}

	private List<String> series(String meter, String tag) {
		return this.registry.find(meter)
			.meters()
			.stream()
			.map(Meter::getId)
			.map((id) -> ((id.getTag("mode") != null) ? id.getTag("mode") + " " : "") + id.getTag(tag))
			.toList();
	}

	@Test
	void delayedRequestsAreCountedAndTimedByPolicy() {
		RateLimiterRegistry limiter = limiter(store(1000));
		RateLimiter queue = limiter
			.register(policy("queue", RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1))));
		queue.decide("me", 1);
		queue.decide("me", 1);
		queue.decide("me", 1);
		Timer timer = this.registry.get("ratelimit.delay").tags("policy", "queue").timer();
		assertThat(timer.count()).isEqualTo(2);
		assertThat(timer.takeSnapshot().total()).isEqualTo(Duration.ofMillis(100 + 200).toNanos());
		assertThat(this.registry.get("ratelimit.requests").tags("outcome", "delayed").functionCounter().count())
			.isEqualTo(2);
	}

	/*
	 * A rate knows nothing of what happened before a meter was first read.
	 */
	@Test
	void timerOfAPolicyThatDelaysIsThereBeforeItsFirstDelay() {
		RateLimiterRegistry limiter = limiter(store(1000));
		limiter.register(policy("queue", RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1))));
		limiter.register(
				policy("window", RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofSeconds(1))));
		assertThat(this.registry.get("ratelimit.delay").timers()).singleElement().satisfies((timer) -> {
			assertThat(timer.getId().getTag("policy")).isEqualTo("queue");
			assertThat(timer.count()).isZero();
		});
	}

	@Test
	void settlementsOfPoliciesThatAreChargedByOutcomeAreCounted() {
		login(store(1000));
		assertThat(this.registry.find("ratelimit.settlements").meters()).isEmpty();
		RateLimiter tokens = limiter(store(1000)).register(RateLimitPolicy.builder("tokens")
			.charge("result")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofMinutes(1)))
			.build());
		RateLimitDecision given = tokens.decide("me", 4);
		tokens.settle("me", 4, 4, given);
		tokens.settle("me", 4, 1, given);
		tokens.settle("me", 1, 2, given);
		assertThat(settlements("kept")).isEqualTo(1);
		assertThat(settlements("returned")).isEqualTo(1);
		assertThat(settlements("charged")).isEqualTo(1);
	}

	private double settlements(String outcome) {
		return this.registry.get("ratelimit.settlements")
			.tags("policy", "tokens", "outcome", outcome)
			.functionCounter()
			.count();
	}

	@Test
	void whatIsDecidedInShadowIsCountedApartAndTimedNowhere() {
		RateLimiterRegistry limiter = limiter(store(1000));
		RateLimit queue = RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 1, Duration.ofSeconds(1));
		RateLimit one = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofMinutes(1));
		RateLimiter tried = limiter
			.register(RateLimitPolicy.builder("tried").limit(queue).mode(RateLimitMode.SHADOW).build());
		RateLimiter both = limiter.register(RateLimitPolicy.builder("both")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofMinutes(1)))
			.shadowLimits(List.of(one))
			.build());
		for (int i = 0; i < 3; i++) {
			tried.decide("me", 1);
			both.decide("me", 1);
		}
		assertThat(requests("tried", "shadow", "delayed")).isEqualTo(1);
		assertThat(requests("tried", "shadow", "rejected")).isEqualTo(1);
		assertThat(this.registry.find("ratelimit.requests").tags("policy", "tried", "mode", "enforce").meters())
			.isEmpty();
		assertThat(this.registry.find("ratelimit.delay").timer()).isNull();
		assertThat(requests("both", "enforce", "allowed")).isEqualTo(3);
		assertThat(requests("both", "shadow", "allowed")).isEqualTo(1);
		assertThat(requests("both", "shadow", "rejected")).isEqualTo(2);
		assertThat(this.registry.find("ratelimit.shadow.dropped").meters()).isEmpty();
		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getTag("policy"))
			.doesNotContain("both/shadow");
	}

	@Test
	void whatAnOverrideTriesOrEnforcesIsCountedFromThenOnAndNothingIsLost() {
		RateLimiterRegistry limiter = limiter(store(1000));
		RateLimit one = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofMinutes(1));
		RateLimiter enforced = limiter.register(policy("enforced", one));
		RateLimiter tried = limiter
			.register(RateLimitPolicy.builder("tried").limit(one).mode(RateLimitMode.SHADOW).build());
		enforced.decide("me", 1);
		tried.decide("me", 1);
		limiter.overrides().put(RateLimitOverride.of("enforced").mode(RateLimitMode.SHADOW).build());
		limiter.overrides().put(RateLimitOverride.of("tried").mode(RateLimitMode.ENFORCE).build());
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
		StoreRateLimiterRegistry limiters = (StoreRateLimiterRegistry) limiter(store(1000));
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 2, Duration.ofMinutes(1));
		RateLimiter login = limiters.register(policy("login", limit));
		login.decide("me", 1);
		limiters.change(RateLimitPolicy.builder("login").limit(limit).mode(RateLimitMode.SHADOW).build()).make();
		login.decide("you", 1);
		login.decide("you", 1);
		limiters
			.change(RateLimitPolicy.builder("login")
				.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 3, Duration.ofMinutes(1)))
				.mode(RateLimitMode.SHADOW)
				.build())
			.make();
		login.decide("they", 1);
		assertThat(requests("login", "enforce", "allowed")).isEqualTo(1);
		assertThat(requests("login", "shadow", "allowed")).isEqualTo(3);
	}

	private double requests(String policy, String mode, String outcome) {
		return this.registry.get("ratelimit.requests")
			.tags("policy", policy, "mode", mode, "outcome", outcome)
			.functionCounter()
			.count();
	}

	@Test
	void keysOfEachPolicyAreGauged() {
		RateLimiter login = login(store(1000));
		assertThat(keys()).isZero();
		login.decide("one", 1);
		login.decide("two", 1);
		assertThat(keys()).isEqualTo(2);
	}

	@Test
	void keysThatAStoreCannotCountAreNotGauged() {
		login(new FixedAnswerStore());
		assertThat(this.registry.find("ratelimit.keys").meters()).isEmpty();
	}

	@Test
	void evictionsOfKeysThatStillCountedAreCounted() {
		RateLimiter login = login(store(1));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			for (int i = 0; i < 100; i++) {
				login.decide("key" + i, 1);
			}
			return evictions() > 0;
		});
		assertThat(evictions()).isLessThanOrEqualTo(login.evictions());
	}

	@Test
	void waitingRequestsAreGaugedWithTheirMaximum() {
		login(store(1000));
		assertThat(this.registry.get("ratelimit.waiting").gauge().value()).isZero();
		assertThat(this.registry.get("ratelimit.waiting.maximum").gauge().value()).isEqualTo(7);
	}

	@Test
	void availabilityOfAStoreThatCanBeUnavailableIsPublished() {
		this.availability = new Unavailable();
		login(store(1000));
		assertThat(this.registry.get("ratelimit.store.available").gauge().value()).isZero();
		assertThat(this.registry.get("ratelimit.store.outages").functionCounter().count()).isEqualTo(3);
	}

	@Test
	void storeThatIsAlwaysAvailableHasNoAvailability() {
		login(store(1000));
		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getName())
			.noneMatch((name) -> name.startsWith("ratelimit.store"));
	}

	@Test
	void keysNeverBecomeTags() {
		RateLimiter login = login(store(1000));
		int meters = this.registry.getMeters().size();
		for (int i = 0; i < 100; i++) {
			login.decide("key" + i, 1);
		}
		assertThat(this.registry.getMeters()).hasSize(meters);
		Set<String> tags = this.registry.getMeters()
			.stream()
			.map(Meter::getId)
			.flatMap((id) -> id.getTags().stream())
			.map(Tag::getKey)
			.collect(Collectors.toSet());
		assertThat(tags).containsExactlyInAnyOrder("policy", "outcome", "mode", "expression");
	}

	@Test
	void everyMeterSaysWhatItIs() {
		RateLimiter queue = limiter(store(1000))
			.register(policy("queue", RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1))));
		queue.decide("me", 1);
		queue.decide("me", 1);
		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getName())
			.contains("ratelimit.requests", "ratelimit.delay", "ratelimit.keys", "ratelimit.evictions");
		assertThat(this.registry.getMeters())
			.allSatisfy((meter) -> assertThat(meter.getId().getDescription()).isNotBlank());
	}

	private RateLimiter login(RateLimitStore store) {
		return limiter(store)
			.register(policy("login", RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 2, Duration.ofMinutes(1))));
	}

	/* Meters come first: policies that are registered later are published, too. */
	private RateLimiterRegistry limiter(RateLimitStore store) {
		AtomicReference<RateLimiterRegistry> limiters = new AtomicReference<>();
		RateLimitMetrics metrics = new RateLimitMetrics(limiters::get, new WaitingRoom(7), () -> this.availability);
		limiters.set(new StoreRateLimiterRegistry(store, List.of(metrics)));
		metrics.bindTo(this.registry);
		return limiters.get();
	}

	private static RateLimitStore store(int maximumSize) {
		return new LocalRateLimitStore(ManualClock.atMidnight(), maximumSize);
	}

	private static RateLimitPolicy policy(String name, RateLimit limit) {
		return RateLimitPolicy.of(name, limit);
	}

	private double requests(String outcome) {
		return this.registry.get("ratelimit.requests")
			.tags("policy", "login", "outcome", outcome)
			.functionCounter()
			.count();
	}

	private double keys() {
		return this.registry.get("ratelimit.keys").tags("policy", "login").gauge().value();
	}

	private double evictions() {
		return this.registry.get("ratelimit.evictions").tags("policy", "login").functionCounter().count();
	}

}
