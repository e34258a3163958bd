package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
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
 * Several instances change one override at once.
 */
class ConcurrentOverridesTests extends OneServer {

	private static final int WRITERS = 8;

	private static final int CHANGES = 10;

	private static final RateLimitOverride.Target TARGET = new RateLimitOverride.Target("api", null, null);

	private List<TestStore> stores;

	private List<StoreRateLimiterRegistry> instances;

	@BeforeEach
	void start() {
		this.stores = Stream.generate(() -> TestStore.of(redis, TestStore.PATIENT)).limit(WRITERS).toList();
		this.instances = this.stores.stream().map((store) -> (StoreRateLimiterRegistry) store.limiter()).toList();
		for (StoreRateLimiterRegistry each : this.instances) {
			each.register(RateLimitPolicy.of("api", allowing(100)));
			each.start();
		}
	}

	@AfterEach
	void stop() {
		this.instances.forEach(StoreRateLimiterRegistry::stop);
		this.stores.forEach(TestStore::close);
	}

	@Test
	void everyChangeHasAVersionOfItsOwnAndTheLastIsInForceEverywhere() {
		List<InForce> answers = Threads.run(WRITERS, this::change).stream().flatMap(List::stream).toList();
		assertThat(answers).extracting(InForce::version).doesNotHaveDuplicates().hasSize(WRITERS * CHANGES);
		InForce last = answers.stream().max(Comparator.comparing(InForce::version)).orElseThrow();
		for (StoreRateLimiterRegistry each : this.instances) {
			TestRedis.await(() -> each.policy("api").version("any").policy().limits().equals(last.override().limits()));
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

	private InForce put(int writer, long limit, long version) {
		return this.instances.get(writer)
			.overrides()
			.put(RateLimitOverride.of("api").limit(allowing(limit)).build(), version);
	}

	private static RateLimit allowing(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

}
