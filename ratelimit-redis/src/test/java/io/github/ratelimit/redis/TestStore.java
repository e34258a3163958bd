package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.remote.ResilientStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.test.ManualClock;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One instance of an application: a store with connections and a clock of its own.
 */
final class TestStore implements AutoCloseable {

	/**
	 * For tests in which servers do not answer: less than the clients' own time-outs.
	 */
	static final ResilienceSettings IMPATIENT = new ResilienceSettings(Duration.ofMillis(500), Duration.ofSeconds(1),
			Duration.ofSeconds(1), 1);

	/**
	 * For tests in which nothing is slow, on a machine that may be.
	 */
	static final ResilienceSettings PATIENT = new ResilienceSettings(Duration.ofSeconds(20), Duration.ofSeconds(1),
			Duration.ofSeconds(1), 1);

	static final ResilienceSettings FORGETFUL = new ResilienceSettings(Duration.ofSeconds(20), Duration.ofSeconds(1),
			Duration.ZERO, 1);

	/**
	 * After how many failures in a row a server is left alone.
	 */
	static final int FAILURES = 3;

	private final ManualClock clock = ManualClock.atMidnight();

	private final RedisConnectionFactory factory;

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 1000);

	private final RedisRateLimitStore store;

	private final CountingRunner runner;

	TestStore(RedisConnectionFactory factory, ResilienceSettings settings, FailureMode mode) {
		this(factory, settings, mode, (runner) -> runner);
	}

	TestStore(RedisConnectionFactory factory, ResilienceSettings settings, FailureMode mode,
			UnaryOperator<ScriptRunner> way) {
		this.factory = factory;
		this.runner = new CountingRunner(RedisRateLimitStore.runner(factory));
		this.store = new RedisRateLimitStore(way.apply(this.runner), "test", settings, (policy) -> mode,
				this.local::open, this.local.memories(), this.clock);
	}

	static TestStore of(TestRedis redis, ResilienceSettings settings) {
		return new TestStore(ClientKind.LETTUCE.standalone(redis.port()), settings, FailureMode.LOCAL);
	}

	/**
	 * A store that remembers no rejections, and fails if the server does.
	 */
	static ResilientStore over(ScriptRunner way, String prefix, ManualClock clock) {
		return over(new RedisRemoteStore(way, prefix, PATIENT.timeout()), clock);
	}

	static ResilientStore over(RemoteStore store, ManualClock clock) {
		return new ResilientStore(store, FORGETFUL, (policy) -> FailureMode.REJECT, (policy) -> {
			throw new IllegalStateException("Nothing decides in place of Redis");
		}, null, clock);
	}

	ManualClock clock() {
		return this.clock;
	}

	PolicyDecider open(RateLimitPolicy policy) {
		return this.store.open(policy);
	}

	/**
	 * Decides on several requests in one call, without anybody who would join it.
	 */
	List<RateLimitDecision> decideAll(RateLimitPolicy policy, String key, long... permits) {
		return new RedisRemoteStore(this.runner, "test", PATIENT.timeout()).open(policy)
			.decideAll(key, permits, false)
			.start(Deadline.after(PATIENT.timeout()))
			.await();
	}

	RedisRateLimitStore store() {
		return this.store;
	}

	RateLimiterRegistry limiter() {
		return new StoreRateLimiterRegistry(this.store, List.of());
	}

	/**
	 * How often the server was asked.
	 */
	int calls() {
		return this.runner.calls();
	}

	/**
	 * Waits until the server decides again.
	 */
	void awaitRecovery(PolicyDecider states) {
		TestRedis.await(() -> {
			this.clock.advance(IMPATIENT.retryInterval());
			return !states.decide("recovery", 1).fallback();
		});
	}

	void closeStore() {
		this.store.close();
	}

	SharedOverrides overrides() {
		return this.store.sharedOverrides();
	}

	RateLimitStoreAvailability availability() {
		return this.store.availability();
	}

	@Override
	public void close() {
		this.store.close();
		this.local.close();
		ClientKind.stop(this.factory);
	}

}
