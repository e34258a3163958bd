package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitOverrides.InForce;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.Threads;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several instances change one override at once, and each is in force in all of them
 * within two seconds; no decision mixes the numbers of before and after.
 */
class ConcurrentOverridesTests extends OneServer {

	private static final int WRITERS = 8;

	private static final int CHANGES = 10;

	/* Two seconds, and what a busy machine takes. */
	private static final Duration MAX_TIME = Duration.ofSeconds(2 + 3);

	private static final RateLimitOverride.Target TARGET = new RateLimitOverride.Target("api", null, null);

	private final ScheduledExecutorService looking = Executors.newScheduledThreadPool(WRITERS);

	private List<TestStore> stores;

	private List<StoreRateLimiterRegistry> instances;

	@BeforeEach
	void start() {
		this.stores = Stream.generate(() -> TestStore.of(redis, TestStore.PATIENT)).limit(WRITERS).toList();
		this.instances = this.stores.stream().map((store) -> instance(store, List.of())).toList();
	}

	private StoreRateLimiterRegistry instance(TestStore store, List<RateLimitListener> listeners) {
		StoreRateLimiterRegistry instance = new StoreRateLimiterRegistry(store.store(), listeners);
		instance.register(RateLimitPolicy.of("api", allowing(100)));
		instance.followOverrides();
		this.looking.scheduleWithFixedDelay(instance::followOverrides, 1, 1, TimeUnit.SECONDS);
		return instance;
	}

	@AfterEach
	void stop() {
		this.looking.shutdownNow();
		this.stores.forEach(TestStore::close);
	}

	@Test
	void everyChangeHasAVersionOfItsOwnAndTheLastIsInForceEverywhere() {
		List<InForce> answers = Threads.run(WRITERS, this::change).stream().flatMap(List::stream).toList();
		assertThat(answers).extracting(InForce::version).doesNotHaveDuplicates().hasSize(WRITERS * CHANGES);
		InForce last = answers.stream().max(Comparator.comparing(InForce::version)).orElseThrow();
		for (StoreRateLimiterRegistry each : this.instances) {
			TestRedis.await(
					() -> each.policy("api").effectivePolicy("any").policy().limits().equals(last.override().limits()));
			assertThat(each.overrides().find(TARGET)).isNotNull().returns(last.version(), InForce::version);
		}
	}

	private List<InForce> change(int writer) {
		return IntStream.range(writer * CHANGES, (writer + 1) * CHANGES).mapToObj((number) -> {
			InForce answer = put(writer, 1 + number, RateLimitOverrides.ANY_VERSION);
			assertThat(answer.override().limits()).containsExactly(allowing(1 + number));
			return answer;
		}).toList();
	}

	@Test
	void ofThoseThatReplaceOneVersionOneSucceeds() {
		for (int round = 0; round < CHANGES; round++) {
			long version = put(0, 1000, RateLimitOverrides.ANY_VERSION).version();
			List<Boolean> succeeded = Threads.run(WRITERS, (writer) -> replaces(writer, version));
			assertThat(Collections.frequency(succeeded, true)).isEqualTo(1);
		}
	}

	private boolean replaces(int writer, long version) {
		try {
			put(writer, 2000 + writer, version);
			return true;
		}
		catch (RateLimitOverrideException ex) {
			assertThat(ex.reason()).isEqualTo(RateLimitOverrideException.Reason.CONFLICT);
			return false;
		}
	}

	@Test
	void aChangeIsInForceEverywhereWithinTwoSeconds() {
		List<Report> reports = Stream.generate(Report::new).limit(3).toList();
		List<StoreRateLimiterRegistry> asked = reports.stream()
			.map((report) -> instance(this.stores.get(0), List.of(report)))
			.toList();
		AtomicBoolean over = new AtomicBoolean();
		Threads.run(13, (number) -> {
			if (number > 0) {
				while (!over.get()) {
					asked.get(number % 3).decide("api", "key" + ThreadLocalRandom.current().nextInt(500));
					LockSupport.parkNanos(1_000_000);
				}
				return null;
			}
			for (long limit : new long[] { 40, 2000, 60 }) {
				long begin = RunningTime.nanos();
				put((int) limit % WRITERS, limit, RateLimitOverrides.ANY_VERSION);
				TestRedis.await(() -> reports.stream().allMatch((report) -> report.limit == limit));
				assertThat(RunningTime.since(begin)).isLessThan(MAX_TIME);
			}
			over.set(true);
			return null;
		});
		assertThat(reports).noneMatch((report) -> report.mixed);
		StoreRateLimiterRegistry last = instance(this.stores.get(0), List.of());
		assertThat(last.decide("api", "late").remaining()).isEqualTo(59);
	}

	/**
	 * Under which limit was decided last, and whether any decision is none of its
	 * limit's.
	 */
	private static final class Report implements RateLimitListener {

		private volatile long limit;

		private volatile boolean mixed;

		/* A bucket of the limit has its next permit within a part of the minute. */
		@Override
		public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
			long limit = policy.limits().get(0).limit();
			long interval = Duration.ofMinutes(1).dividedBy(limit).toNanos();
			if (decision.fallback() || decision.remaining() > limit
					|| decision.nextPermitAfterNanos() > interval + 1_000_000) {
				this.mixed = true;
			}
			this.limit = limit;
		}

	}

	private InForce put(int writer, long limit, long version) {
		return this.instances.get(writer)
			.overrides()
			.put(RateLimitOverride.of("api").limit(allowing(limit)).build(), version);
	}

	private static RateLimit allowing(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

}
