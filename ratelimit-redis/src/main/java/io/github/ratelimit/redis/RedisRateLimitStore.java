package io.github.ratelimit.redis;

import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.remote.ResilientStore;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
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

	private final ResilientStore store;

	/**
	 * Creates the store, and begins to connect.
	 * @param factory the application's connections
	 * @param keyPrefix what all keys in Redis begin with
	 * @param settings how to use them
	 * @param failureModes says what decides on a policy while Redis cannot
	 * @param local opens a policy in this process, where that decides
	 * @param memories where to remember earlier answers, or {@code null} to remember a
	 * fixed number
	 * @param clock this process' time
	 */
	public RedisRateLimitStore(RedisConnectionFactory factory, String keyPrefix, ResilienceSettings settings,
			Function<RateLimitPolicy, FailureMode> failureModes, Function<RateLimitPolicy, PolicyDecider> local,
			KeyMemory.@Nullable Provider memories, RateLimitClock clock) {
		this(runner(factory), keyPrefix, settings, failureModes, local, memories, clock);
	}

	RedisRateLimitStore(ScriptRunner runner, String keyPrefix, ResilienceSettings settings,
			Function<RateLimitPolicy, FailureMode> failureModes, Function<RateLimitPolicy, PolicyDecider> local,
			KeyMemory.@Nullable Provider memories, RateLimitClock clock) {
		RedisRemoteStore redis = new RedisRemoteStore(runner, keyPrefix, settings.timeout());
		this.store = new ResilientStore(redis, settings, failureModes, local, memories, clock);
		runner.connect();
	}

	static ScriptRunner runner(RedisConnectionFactory factory) {
		if (LETTUCE && factory instanceof LettuceConnectionFactory lettuce) {
			return lettuceRunner(lettuce);
		}
		if (JEDIS && factory instanceof JedisConnectionFactory jedis) {
			return jedisRunner(jedis);
		}
		return new BlockingScriptRunner(factory, false, BlockingScriptRunner.NOTHING, "");
	}

	private static ScriptRunner lettuceRunner(LettuceConnectionFactory lettuce) {
		if (rolesAreLookedUp(lettuce)) {
			return new BlockingScriptRunner(lettuce, false, lettuce::resetConnection, "");
		}
		return LettuceScriptRunner.of(lettuce);
	}

	private static ScriptRunner jedisRunner(JedisConnectionFactory jedis) {
		boolean cluster = jedis.isRedisClusterAware();
		String server = "";
		if (!cluster && !jedis.isRedisSentinelAware()) {
			server = jedis.getHostName() + ":" + jedis.getPort();
		}
		return new BlockingScriptRunner(jedis, cluster, BlockingScriptRunner.NOTHING, server);
	}

	@Override
	public String name() {
		return this.store.name();
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
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
	 * {@inheritDoc}
	 * <p>
	 * The overrides have no expiry. Only a server whose {@code maxmemory-policy} is one
	 * for all keys forgets them when its memory is full: later instances find none, and
	 * those that run keep what they last knew until the next change, unless the server
	 * has forgotten the version of the overrides, too.
	 */
	@Override
	public @Nullable SharedOverrides sharedOverrides() {
		return this.store.sharedOverrides();
	}

	/**
	 * Closes the store's connections. Every decision is then the failure mode's.
	 */
	@Override
	public void close() {
		this.store.close();
	}

	/**
	 * Whether the application has named a master and its replicas. Lettuce's client does
	 * not know where the master is then, only its connections do, so that only a new one
	 * looks it up; a pool of the application's would hand out the old one. The factory
	 * keeps to itself how it was configured.
	 */
	private static boolean rolesAreLookedUp(LettuceConnectionFactory factory) {
		DirectFieldAccessor fields = new DirectFieldAccessor(factory);
		return fields.isReadableProperty("configuration")
				&& fields.getPropertyValue("configuration") instanceof RedisStaticMasterReplicaConfiguration;
	}

}
