package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.resilience.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real server answers, but with errors: no caller sees them, and it decides again as
 * soon as they are over.
 */
@ParameterizedClass
@EnumSource(ClientKind.class)
class ServerErrorTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000, Duration.ofDays(20)));

	@Parameter
	private ClientKind client;

	private final TestRedis redis = TestRedis.start();

	private TestStore store;

	private PolicyDecider states;

	@BeforeEach
	void open() {
		this.store = new TestStore(this.client.standalone(this.redis.port()), TestStore.IMPATIENT, FailureMode.LOCAL);
		this.states = this.store.open(POLICY);
		OutageWatch.awaitRecovery(this.store, this.states);
	}

	@AfterEach
	void close() {
		this.store.close();
		this.redis.close();
	}

	private void failsWith(String error) {
		for (int i = 0; i <= TestStore.FAILURES; i++) {
			assertThat(this.states.decide("key", 1).fallback()).isTrue();
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).contains(error);
	}

	private void decidesAgain() {
		OutageWatch.awaitRecovery(this.store, this.states);
		assertThat(this.states.decide("key", 1).fallback()).isFalse();
		assertThat(this.store.availability().isAvailable()).isTrue();
	}

	@Test
	void withoutEnoughReplicas() {
		this.redis.call("CONFIG", "SET", "min-replicas-to-write", "1");
		failsWith("NOREPLICAS");
		this.redis.call("CONFIG", "SET", "min-replicas-to-write", "0");
		decidesAgain();
	}

	@Test
	void busyWithAnothersScript() {
		this.redis.call("CONFIG", "SET", "lua-time-limit", "1");
		CompletableFuture<String> busy = CompletableFuture
			.supplyAsync(() -> this.redis.call("EVAL", "while true do end", "0"));
		TestRedis.await(() -> this.redis.call("PING").startsWith("-BUSY"));
		failsWith("BUSY");
		this.redis.call("SCRIPT", "KILL");
		assertThat(busy.join()).contains("killed");
		decidesAgain();
	}

	@Test
	void takingTheUsersRightsAway() {
		this.redis.call("ACL", "SETUSER", "default", "-evalsha");
		failsWith("NOPERM");
		this.redis.call("ACL", "SETUSER", "default", "+evalsha");
		decidesAgain();
	}

	@Test
	void aReplicaWhoseMasterIsDown() {
		this.redis.call("CONFIG", "SET", "replica-serve-stale-data", "no");
		this.redis.call("REPLICAOF", "127.0.0.1", "1");
		failsWith("MASTERDOWN");
		this.redis.call("REPLICAOF", "NO", "ONE");
		decidesAgain();
	}

}
