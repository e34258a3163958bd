package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.ManualClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStates;
import io.github.ratelimit.RateLimitStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Redis decides as every store must: its scripts say what the plain models say.
 */
class RedisStatesTests extends RateLimitStoreContract {

	private static TestRedis redis;

	private static LettuceConnectionFactory factory;

	private static ScriptRunner runner;

	private final ManualClock clock = ManualClock.atMidnight();

	@BeforeAll
	static void start() {
		redis = TestRedis.start();
		factory = new LettuceConnectionFactory("127.0.0.1", redis.port());
		factory.afterPropertiesSet();
		factory.start();
		runner = new LettuceScriptRunner(factory, Duration.ofSeconds(30));
	}

	@AfterAll
	static void stop() {
		runner.close();
		factory.destroy();
		redis.close();
	}

	@Override
	protected RateLimitStates open(RateLimitPolicy policy) {
		redis.call("FLUSHALL");
		return new RedisStates(policy, "test", VirtualTime.LUA, new VirtualTime(runner, this.clock));
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
	protected long nanosPerTick() {
		return 1000;
	}

	@Override
	protected int bits() {
		return 52;
	}

}
