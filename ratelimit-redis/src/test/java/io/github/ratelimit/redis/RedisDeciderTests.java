package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.UUID;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.RateLimitStoreContract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server that comes with the tests decides as every store must: its scripts say what
 * the plain models say. Touches no keys but its own, which expire.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisDeciderTests extends RateLimitStoreContract {

	private final String prefix = "ratelimit-test-" + UUID.randomUUID();

	private final ManualClock clock = ManualClock.atMidnight();

	private RedisConnectionFactory factory;

	private ScriptRunner runner;

	private int opened;

	private @Nullable TestRedis redis;

	/**
	 * Finds the server.
	 * @return its host and port
	 */
	String server() {
		this.redis = TestRedis.start();
		return "127.0.0.1:" + this.redis.port();
	}

	ClientKind client() {
		return ClientKind.LETTUCE;
	}

	@BeforeAll
	void connect() {
		String server = server();
		int colon = server.lastIndexOf(':');
		this.factory = client().standalone(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
		this.runner = RedisRateLimitStore.runner(this.factory);
	}

	@AfterAll
	void disconnect() {
		this.runner.close();
		ClientKind.stop(this.factory);
		if (this.redis != null) {
			this.redis.close();
		}
	}

	@Override
	protected PolicyDecider open(RateLimitPolicy policy) {
		RemoteStore store = new RedisRemoteStore(new VirtualTime(this.runner, this.clock), this.prefix + this.opened++,
				TestStore.PATIENT.timeout());
		return TestStore.over(view(store), this.clock).open(policy);
	}

	RemoteStore view(RemoteStore store) {
		return store;
	}

	@Override
	protected long now() {
		return this.clock.nanos();
	}

	@Override
	protected void advance(long nanos) {
		this.clock.advanceNanos(nanos);
	}

	@Override
	protected void stepBack(long nanos) {
		this.clock.advanceNanos(-nanos);
	}

	@Test
	void aLogThatHasExpiredSpoilsNothingWhenTheClockIsSetBack() {
		PolicyDecider states = open(
				RateLimitPolicy.of("two", TestPolicies.limit(SLIDING_WINDOW_LOG, 1, Duration.ofSeconds(1)),
						TestPolicies.limit(TOKEN_BUCKET, 5, Duration.ofDays(1))));
		RateLimitDecision given = states.decide("key", 1);
		for (int i = 0; i < 4; i++) {
			advance(Duration.ofSeconds(2).toNanos());
			given = states.decide("key", 1);
		}
		advance(Duration.ofSeconds(2).toNanos());
		states.refund("key", 1, given);
		stepBack(Duration.ofSeconds(8).toNanos());
		for (int i = 0; i < 3; i++) {
			assertThat(states.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(1L, 1L);
		}
	}

	@Override
	protected long nanosPerTick() {
		return 1000;
	}

	@Override
	protected int traces() {
		return 200;
	}

	@Override
	protected boolean hasDebts() {
		return true;
	}

	@Override
	protected boolean reserves() {
		return true;
	}

	@Override
	protected boolean hasBans() {
		return true;
	}

	@Override
	protected int bits() {
		return 52;
	}

}
