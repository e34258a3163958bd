package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.autoconfigure.FixedAnswerStore;
import io.github.ratelimit.enforce.StoreRateLimiterRegistry;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.local.LocalRateLimitStore;
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
		login.giveBack("me", 1, first);
		assertThat(requests("allowed")).isEqualTo(2);
		assertThat(requests("rejected")).isEqualTo(1);
		assertThat(requests("returned")).isEqualTo(1);
		assertThat(requests("delayed")).isZero();
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

	@Test
	void keysOfEachPolicyAreGauged() {
		RateLimiter login = login(store(1000));
		assertThat(keys()).isZero();
		login.decide("one", 1);
		login.decide("two", 1);
		assertThat(keys()).isEqualTo(2);
	}

	@Test
	void keysThatAStoreCannotCountAreNotSaidToBeNone() {
		login(new FixedAnswerStore());
		assertThat(keys()).isNaN();
	}

	@Test
	void evictionsOfKeysThatStillCountedAreCounted() {
		RateLimiter login = login(store(1));
		Awaitility.await().until(() -> {
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
		assertThat(tags).containsExactlyInAnyOrder("policy", "outcome", "expression");
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

	private static final class Unavailable implements RateLimitStoreAvailability {

		@Override
		public boolean isAvailable() {
			return false;
		}

		@Override
		public long outages() {
			return 3;
		}

		@Override
		public String failure() {
			return "refused";
		}

	}

}
