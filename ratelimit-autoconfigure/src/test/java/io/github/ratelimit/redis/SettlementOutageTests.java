package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.StoreCallException;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A settlement makes nobody wait, whatever the server does.
 */
@ParameterizedClass
@EnumSource(ClientKind.class)
class SettlementOutageTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.builder("charged")
		.limit(TestPolicies.limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, Duration.ofHours(1)))
		.charge("status >= 400")
		.build();

	@Parameter
	private ClientKind client;

	private final TestRedis redis = TestRedis.start();

	private TestStore store;

	private PolicyDecider states;

	@BeforeEach
	void open() {
		this.store = new TestStore(this.client.standalone(this.redis.port()), TestStore.IMPATIENT, FailureMode.REJECT);
		this.states = this.store.open(POLICY);
		OutageWatch.awaitRecovery(this.store, this.states);
	}

	@AfterEach
	void close() {
		this.redis.close();
		this.store.close();
	}

	@Test
	void aServerThatHangsMakesNobodyWait() {
		RateLimitDecision given = this.states.decide("key", 1);
		this.redis.freeze();
		CompletableFuture<CompletionStage<Void>> settling = CompletableFuture
			.supplyAsync(() -> this.states.settleAsync("key", 1, 5, given));
		TestRedis.await(settling::isDone);
		assertThat(settling).isCompleted();
		this.redis.thaw();
		TestRedis.await(() -> settling.join().toCompletableFuture().isDone());
		OutageWatch.awaitRecovery(this.store, this.states);
		assertThat(this.states.decide("key", 0).remaining()).isIn(9L, 5L);
	}

	@Test
	void aServerThatIsGoneMakesNobodyWait() {
		RateLimitDecision given = this.states.decide("key", 1);
		this.redis.kill();
		assertThat(this.states.settleAsync("key", 1, 0, given)).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(StoreCallException.class);
	}

}
