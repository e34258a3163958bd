package io.github.ratelimit.redis;

import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.resilience.FailureMode;
import io.github.ratelimit.resilience.RemoteStore;
import io.github.ratelimit.resilience.ResilientStore;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStates;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Keeps the state of every (policy, key) in Redis, so that all instances of an
 * application share one budget. A decision is one atomic script call, by the server's own
 * time. When Redis cannot decide, each policy's failure mode does.
 *
 * @since 0.1.0
 */
public final class RedisRateLimitStore implements RateLimitStore, AutoCloseable {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisRateLimitStore.class.getClassLoader());

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			RedisRateLimitStore.class.getClassLoader());

	private final ScriptRunner runner;

	private final ResilientStore store;

	/**
	 * Creates the store, which remembers a fixed number of keys, and begins to connect.
	 * @param factory the application's connections
	 * @param settings how to use them
	 * @param failureModes says what decides on a policy while Redis cannot
	 * @param local opens a policy in this process, where that decides
	 * @param clock this process' time
	 */
	public RedisRateLimitStore(RedisConnectionFactory factory, RedisSettings settings,
			Function<RateLimitPolicy, FailureMode> failureModes, Function<RateLimitPolicy, RateLimitStates> local,
			RateLimitClock clock) {
		this(factory, settings, failureModes, local, null, clock);
	}

	/**
	 * Creates the store, and begins to connect.
	 * @param factory the application's connections
	 * @param settings how to use them
	 * @param failureModes says what decides on a policy while Redis cannot
	 * @param local opens a policy in this process, where that decides
	 * @param memories where to remember earlier answers, or {@code null} to remember a
	 * fixed number
	 * @param clock this process' time
	 */
	public RedisRateLimitStore(RedisConnectionFactory factory, RedisSettings settings,
			Function<RateLimitPolicy, FailureMode> failureModes, Function<RateLimitPolicy, RateLimitStates> local,
			KeyMemory.@Nullable Provider memories, RateLimitClock clock) {
		this(runner(factory, settings), settings, failureModes, local, memories, clock);
	}

	RedisRateLimitStore(ScriptRunner runner, RedisSettings settings,
			Function<RateLimitPolicy, FailureMode> failureModes, Function<RateLimitPolicy, RateLimitStates> local,
			KeyMemory.@Nullable Provider memories, RateLimitClock clock) {
		this.runner = runner;
		RemoteStore redis = new RedisRemoteStore(runner, settings.keyPrefix(), RateLimitScripts.SERVER_TIME,
				settings.timeout());
		this.store = new ResilientStore(redis, settings.resilience(), failureModes, local, memories, clock);
		runner.connect();
	}

	static ScriptRunner runner(RedisConnectionFactory factory, RedisSettings settings) {
		if (LETTUCE && factory instanceof LettuceConnectionFactory lettuce) {
			return (settings.ownConnection() && !LettuceRoles.areGiven(lettuce)) ? new LettuceScriptRunner(lettuce)
					: new BlockingScriptRunner(factory, lettuce.isClusterAware(), new LettuceRoles(lettuce), "");
		}
		if (JEDIS && factory instanceof JedisConnectionFactory jedis) {
			boolean several = jedis.isRedisClusterAware() || jedis.isRedisSentinelAware();
			return new BlockingScriptRunner(factory, jedis.isRedisClusterAware(), () -> false,
					several ? "" : jedis.getHostName() + ":" + jedis.getPort());
		}
		return new BlockingScriptRunner(factory, false, () -> false, "");
	}

	@Override
	public String name() {
		return this.store.name();
	}

	@Override
	public RateLimitStates open(RateLimitPolicy policy) {
		return this.store.open(policy);
	}

	@Override
	public Supplier<RateLimitSession> sessions() {
		return this.store.sessions();
	}

	@Override
	public RateLimitStoreAvailability availability() {
		return this.store.availability();
	}

	/**
	 * Closes the store's connection. Every decision is then the failure mode's.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

}
