package io.github.ratelimit.redis;

import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitThresholdEvent;
import io.github.ratelimit.Threads;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.remote.FailureMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Of several instances that share a window, exactly one tells of each share that a key
 * has crossed.
 */
class RedisThresholdTests extends OneServer {

	private static final int THREADS = 8;

	private static final int[] SHARES = { 1, 33, 80, 100 };

	private final BlockingQueue<Object> told = new LinkedBlockingQueue<>();

	private List<TestStore> stores;

	private List<StoreRateLimiterRegistry> instances;

	@BeforeEach
	void start() {
		this.stores = Stream.generate(() -> TestStore.of(redis, TestStore.PATIENT)).limit(2).toList();
		this.instances = this.stores.stream().map(this::instance).toList();
	}

	private StoreRateLimiterRegistry instance(TestStore store) {
		StoreRateLimiterRegistry instance = new StoreRateLimiterRegistry(store.store(), List.of());
		instance.observeThresholds(this.told::add);
		instance.register(RateLimitPolicy.builder("marker").limit(window(1)).warnAt(100).build());
		return instance;
	}

	@AfterEach
	void stop() {
		this.stores.forEach(TestStore::close);
	}

	private static RateLimit window(long limit) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofDays(31));
	}

	static Stream<RateLimit> windows() {
		return Stream.of(window(1000),
				RateLimit.builder(RateLimitAlgorithm.FIXED_WINDOW_COUNTER)
					.limit(1000)
					.window(CalendarWindow.of(Period.ofYears(1), ZoneId.of("Europe/Berlin")))
					.build());
	}

	/*
	 * Each instance tells in turn, so that a key of its own comes after all before it.
	 */
	private List<RateLimitThresholdEvent> told(String last) throws InterruptedException {
		this.instances.forEach((instance) -> instance.policy("marker").decide(instance + last, 1));
		List<RateLimitThresholdEvent> events = new ArrayList<>();
		for (int markers = 0; markers < this.instances.size();) {
			RateLimitThresholdEvent event = (RateLimitThresholdEvent) this.told.poll(1, TimeUnit.MINUTES);
			assertThat(event).isNotNull();
			if (event.key().endsWith(last)) {
				markers++;
			}
			else {
				events.add(event);
			}
		}
		return events;
	}

	private StoreRateLimiter limiter(int thread) {
		return this.instances.get(thread % this.instances.size()).policy("api");
	}

	private void register(RateLimitPolicy.Builder policy) {
		this.instances.forEach((instance) -> instance.register(policy.build()));
	}

	@ParameterizedTest
	@MethodSource("windows")
	void ofAllInstancesExactlyOneTellsOfEachShare(RateLimit window) throws InterruptedException {
		register(RateLimitPolicy.builder("api").limit(window).warnAt(SHARES));
		for (int round = 0; round < 5; round++) {
			String key = "key " + round;
			Threads.run(THREADS, (thread) -> {
				Random random = new Random(thread);
				for (int i = 0; i < 150; i++) {
					limiter(thread).decide(key, 1 + random.nextInt(3));
				}
				return thread;
			});
			assertThat(told("last " + round)).extracting(RateLimitThresholdEvent::share)
				.containsExactlyInAnyOrder(1, 33, 80, 100);
		}
	}

	@ParameterizedTest
	@MethodSource("windows")
	void whatIsChargedLateIsToldOnceToo(RateLimit window) throws InterruptedException {
		register(RateLimitPolicy.builder("api").limit(window).charge("result").warnAt(SHARES));
		for (int round = 0; round < 5; round++) {
			String key = "key " + round;
			Threads.run(THREADS, (thread) -> {
				Random random = new Random(thread);
				StoreRateLimiter limiter = limiter(thread);
				for (int i = 0; i < 80; i++) {
					RateLimitDecision given = limiter.decide(key, 1);
					if (given.allowed()) {
						limiter.settle(key, 1, 1 + random.nextInt(4), given);
					}
				}
				return thread;
			});
			TestRedis.await(() -> limiter(0).peek(key).remaining() == 0);
			assertThat(toldEventually(4)).extracting(RateLimitThresholdEvent::share)
				.containsExactlyInAnyOrder(1, 33, 80, 100);
			assertThat(told("last " + round)).isEmpty();
		}
	}

	/* A settlement that nobody waits for may be told behind the marker. */
	private List<RateLimitThresholdEvent> toldEventually(int count) throws InterruptedException {
		List<RateLimitThresholdEvent> events = new ArrayList<>();
		while (events.size() < count) {
			RateLimitThresholdEvent event = (RateLimitThresholdEvent) this.told.poll(1, TimeUnit.MINUTES);
			assertThat(event).as("the event after %s", events).isNotNull();
			events.add(event);
		}
		return events;
	}

	@Test
	void aDecisionTakesNoFurtherCall() throws InterruptedException {
		register(RateLimitPolicy.builder("api").limit(window(10)).charge("result").warnAt(50));
		StoreRateLimiter limiter = limiter(0);
		int before = this.stores.get(0).calls();
		RateLimitDecision given = limiter.decide("key", 4);
		limiter.settle("key", 4, 6, given);
		assertThat(toldEventually(1)).singleElement().returns(50, RateLimitThresholdEvent::share);
		assertThat(this.stores.get(0).calls() - before).isEqualTo(2);
	}

	@Test
	void nothingIsToldWhileRedisCannotBeAsked() {
		try (TestStore store = new TestStore(ClientKind.LETTUCE.standalone(redis.port()), TestStore.IMPATIENT,
				FailureMode.LOCAL)) {
			StoreRateLimiterRegistry instance = instance(store);
			StoreRateLimiter limiter = instance
				.register(RateLimitPolicy.builder("api").charge("result").limit(window(4)).warnAt(50, 100).build());
			limiter.decide("key", 1);
			store.closeStore();
			RateLimitDecision given = limiter.decide("key", 2);
			assertThat(given.fallback()).isTrue();
			limiter.settle("key", 2, 3, given);
			assertThat(limiter.countThresholds(50)).isZero();
			assertThat(limiter.countThresholds(100)).isZero();
		}
	}

}
