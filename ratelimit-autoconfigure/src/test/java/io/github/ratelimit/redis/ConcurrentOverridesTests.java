package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrides.InForce;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.enforce.StoreRateLimiter;
import io.github.ratelimit.enforce.StoreRateLimiterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several instances change one override at once.
 */
class ConcurrentOverridesTests {

	private static final int WRITERS = 8;

	private static final int CHANGES = 10;

	private static final RateLimitOverride.Target TARGET = new RateLimitOverride.Target("api", null, null);

	private final TestRedis redis = TestRedis.start();

	private final List<Instance> instances = new ArrayList<>();

	private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);

	private final CyclicBarrier together = new CyclicBarrier(WRITERS);

	@BeforeEach
	void start() {
		for (int i = 0; i < WRITERS; i++) {
			this.instances.add(new Instance(TestStore.of(this.redis, TestStore.PATIENT)));
		}
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.instances.forEach(Instance::stop);
		this.redis.close();
	}

	@Test
	void everyChangeHasAVersionOfItsOwnAndTheLastIsInForceEverywhere() throws Exception {
		List<Future<List<InForce>>> writers = new ArrayList<>();
		for (int i = 0; i < WRITERS; i++) {
			int first = 1 + i * CHANGES;
			Instance instance = this.instances.get(i);
			writers.add(this.threads.submit(() -> instance.changeTo(first)));
		}
		List<InForce> answers = new ArrayList<>();
		for (Future<List<InForce>> writer : writers) {
			answers.addAll(writer.get());
		}
		assertThat(answers).extracting(InForce::version).doesNotHaveDuplicates().hasSize(WRITERS * CHANGES);
		InForce last = answers.stream().max(Comparator.comparing(InForce::version)).orElseThrow();
		for (Instance instance : this.instances) {
			TestRedis.await(() -> instance.limit() == limitOf(last));
			InForce found = instance.registry.overrides().find(TARGET);
			assertThat(found).isNotNull();
			assertThat(found.version()).isEqualTo(last.version());
		}
	}

	@Test
	void ofThoseThatReplaceOneVersionOneSucceeds() throws Exception {
		for (int round = 0; round < CHANGES; round++) {
			long version = this.instances.get(0).put(1000, -1).version();
			List<Future<Boolean>> writers = new ArrayList<>();
			for (int i = 0; i < WRITERS; i++) {
				int limit = 2000 + i;
				Instance instance = this.instances.get(i);
				writers.add(this.threads.submit(() -> instance.replaces(limit, version)));
			}
			int succeeded = 0;
			for (Future<Boolean> writer : writers) {
				succeeded += writer.get() ? 1 : 0;
			}
			assertThat(succeeded).isEqualTo(1);
		}
	}

	private static RateLimit allowing(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

	private static long limitOf(InForce change) {
		return change.override().limits().get(0).limit();
	}

	/**
	 * One instance of an application.
	 */
	private final class Instance {

		private final TestStore store;

		private final StoreRateLimiterRegistry registry;

		private final StoreRateLimiter limiter;

		Instance(TestStore store) {
			this.store = store;
			this.registry = (StoreRateLimiterRegistry) store.limiter();
			this.limiter = this.registry.register(RateLimitPolicy.of("api", allowing(100)));
			this.registry.start();
		}

		List<InForce> changeTo(int first) throws Exception {
			List<InForce> answers = new ArrayList<>();
			ConcurrentOverridesTests.this.together.await();
			for (int limit = first; limit < first + CHANGES; limit++) {
				InForce answer = put(limit, -1);
				assertThat(limitOf(answer)).isEqualTo(limit);
				answers.add(answer);
			}
			return answers;
		}

		boolean replaces(int limit, long version) throws Exception {
			ConcurrentOverridesTests.this.together.await();
			try {
				put(limit, version);
				return true;
			}
			catch (RateLimitOverrideException ex) {
				assertThat(ex.reason()).isEqualTo(RateLimitOverrideException.Reason.CONFLICT);
				return false;
			}
		}

		InForce put(long limit, long version) {
			return this.registry.overrides().put(RateLimitOverride.of("api").limit(allowing(limit)).build(), version);
		}

		long limit() {
			return this.limiter.policyFor("any").limits().get(0).limit();
		}

		void stop() {
			this.registry.stop();
			this.store.close();
		}

	}

}
