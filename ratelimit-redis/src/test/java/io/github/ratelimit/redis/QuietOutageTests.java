package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An outage during which no request needs a decision is found by a health check, and so
 * is its end.
 */
@ExtendWith(OutputCaptureExtension.class)
class QuietOutageTests {

	private static final Duration INTERVAL = TestStore.IMPATIENT.retryInterval();

	@AutoClose
	private TestRedis redis;

	@BeforeEach
	void start() {
		this.redis = TestRedis.start();
	}

	private TestStore store(ClientKind client) {
		TestStore store = new TestStore(client.standalone(this.redis.port()), TestStore.IMPATIENT, FailureMode.LOCAL);
		awaitAvailable(store);
		return store;
	}

	private static void awaitAvailable(TestStore store) {
		TestRedis.await(() -> isAvailable(store));
	}

	private static boolean isAvailable(TestStore store) {
		store.clock().advance(INTERVAL);
		return isAvailableNow(store);
	}

	private static boolean isAvailableNow(TestStore store) {
		RateLimitStoreAvailability availability = store.availability();
		availability.check();
		assertThat(availability.failure() == null).isEqualTo(availability.isAvailable());
		return availability.isAvailable();
	}

	@ParameterizedTest
	@EnumSource
	void aServerThatIsGoneIsFoundAtOnceAndSoIsItsReturn(ClientKind client, CapturedOutput output) {
		try (TestStore store = store(client)) {
			this.redis.kill();
			TestRedis.await(() -> !isAvailable(store));
			assertThat(isAvailable(store)).isFalse();
			assertThat(store.availability().outages()).isOne();
			assertThat(output.getAll()).containsOnlyOnce("cannot decide");
			this.redis.startAgain();
			awaitAvailable(store);
			assertThat(store.availability().outages()).isOne();
			assertThat(output.getAll()).containsOnlyOnce(" answers again after ");
		}
	}

	@ParameterizedTest
	@EnumSource
	void aServerThatIsGoneAtTheStartIsSaidInOneLineAndSoIsItsReturn(ClientKind client, CapturedOutput output) {
		this.redis.kill();
		try (TestStore store = new TestStore(client.standalone(this.redis.port()), TestStore.IMPATIENT,
				FailureMode.LOCAL)) {
			StoreRateLimiterRegistry registry = (StoreRateLimiterRegistry) store.limiter();
			TestRedis.await(() -> {
				registry.followOverrides();
				return store.availability().outages() == 1;
			});
			this.redis.startAgain();
			TestRedis.await(() -> {
				store.clock().advance(INTERVAL);
				registry.followOverrides();
				return output.getAll().contains(" answers again after ");
			});
			assertThat(output.getAll()).containsOnlyOnce("cannot decide")
				.containsOnlyOnce(" answers again after ")
				.doesNotContain("could not be read")
				.doesNotContain("\tat ");
		}
	}

	@ParameterizedTest
	@EnumSource
	void aServerThatDoesNotAnswerHoldsNobodyUp(ClientKind client) {
		try (TestStore store = store(client)) {
			this.redis.freeze();
			for (int i = 0; i <= TestStore.FAILURES; i++) {
				long begin = RunningTime.nanos();
				assertThat(isAvailable(store)).isFalse();
				assertThat(RunningTime.since(begin)).isLessThan(TestStore.IMPATIENT.timeout().plusSeconds(1));
			}
			assertThat(store.availability().outages()).isOne();
			this.redis.thaw();
			awaitAvailable(store);
		}
	}

	@Test
	void aServerThatTakesNoWritesDoesNotDecide() {
		try (TestStore store = store(ClientKind.LETTUCE)) {
			this.redis.call("CONFIG", "SET", "maxmemory", "1");
			assertThat(isAvailable(store)).isFalse();
			assertThat(store.availability().failure()).contains("OOM");
			this.redis.call("CONFIG", "SET", "maxmemory", "0");
			assertThat(isAvailable(store)).isTrue();
			this.redis.call("REPLICAOF", "127.0.0.1", "1");
			TestRedis.await(() -> !isAvailable(store));
			assertThat(store.availability().failure()).contains("READONLY");
			this.redis.call("REPLICAOF", "NO", "ONE");
			awaitAvailable(store);
		}
	}

	@Test
	void nothingIsLeftInTheServer() {
		try (TestStore store = store(ClientKind.LETTUCE)) {
			assertThat(isAvailable(store)).isTrue();
			TestRedis.await(() -> this.redis.keys().isEmpty());
		}
	}

}
