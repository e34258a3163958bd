package io.github.ratelimit.redis;

import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.LogSize;
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
 */
public final class RedisRateLimitStore implements RateLimitStore, AutoCloseable {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisRateLimitStore.class.getClassLoader());

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			RedisRateLimitStore.class.getClassLoader());

	private final ScriptRunner runner;

	private final RedisSettings settings;

	private final Breakers breakers;

	private final RateLimitStoreAvailability availability;

	private final Function<RateLimitPolicy, RedisFailureMode> failureModes;

	private final Function<RateLimitPolicy, RateLimitStates> local;

	private final KeyMemory.Provider memories;

	private final RateLimitClock clock;

	/**
	 * Creates the store, which remembers a fixed number of keys, and begins to connect.
	 * @param factory the application's connections
	 * @param settings how to use them
	 * @param failureModes says who decides on a policy while Redis cannot
	 * @param local opens a policy in this process, where that decides
	 * @param clock this process' time
	 */
	public RedisRateLimitStore(RedisConnectionFactory factory, RedisSettings settings,
			Function<RateLimitPolicy, RedisFailureMode> failureModes, Function<RateLimitPolicy, RateLimitStates> local,
			RateLimitClock clock) {
		this(factory, settings, failureModes, local, FixedPlaces.provider(), clock);
	}

	/**
	 * Creates the store, and begins to connect.
	 * @param factory the application's connections
	 * @param settings how to use them
	 * @param failureModes says who decides on a policy while Redis cannot
	 * @param local opens a policy in this process, where that decides
	 * @param memories where to remember what Redis said of keys
	 * @param clock this process' time
	 */
	public RedisRateLimitStore(RedisConnectionFactory factory, RedisSettings settings,
			Function<RateLimitPolicy, RedisFailureMode> failureModes, Function<RateLimitPolicy, RateLimitStates> local,
			KeyMemory.Provider memories, RateLimitClock clock) {
		this(runner(factory, settings), settings, failureModes, local, memories, clock);
	}

	RedisRateLimitStore(ScriptRunner runner, RedisSettings settings,
			Function<RateLimitPolicy, RedisFailureMode> failureModes, Function<RateLimitPolicy, RateLimitStates> local,
			KeyMemory.Provider memories, RateLimitClock clock) {
		this.runner = runner;
		this.settings = settings;
		this.failureModes = failureModes;
		this.local = local;
		this.memories = memories;
		this.clock = RateLimitClock.monotonic(clock);
		this.breakers = new Breakers(this.clock, settings.retryInterval(), runner::nodes, runner.server());
		this.availability = new ProbedAvailability(this.breakers,
				new Probe(runner, settings, this.breakers::of, this.clock));
		runner.connect();
	}

	static ScriptRunner runner(RedisConnectionFactory factory, RedisSettings settings) {
		if (LETTUCE && factory instanceof LettuceConnectionFactory lettuce) {
			return settings.ownConnection() ? new LettuceScriptRunner(lettuce)
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
		return "redis";
	}

	@Override
	public RateLimitStates open(RateLimitPolicy policy) {
		LogSize.check(policy.limits());
		RedisStates redis = new RedisStates(policy, this.settings.keyPrefix(), RateLimitScripts.SERVER_TIME,
				this.runner, this.settings.timeout());
		KeyMemory<KnownKey> known = this.memories.open(KnownKey.bytes(policy.limits().size()));
		RejectionCache rejections = rejections(policy, known);
		return switch (this.failureModes.apply(policy)) {
			case LOCAL -> {
				LastAnswers answers = new LastAnswers(this.clock, known);
				yield open(policy, redis, new LocalShare(policy, this.local, answers, this.settings, this.clock),
						rejections, answers);
			}
			case ALLOW -> open(policy, redis, FallbackStates.allowing(policy, this.clock), rejections, null);
			case REJECT -> open(policy, redis,
					FallbackStates.rejecting(policy, this.clock, this.settings.retryInterval().toNanos()), rejections,
					null);
		};
	}

	private RateLimitStates open(RateLimitPolicy policy, RedisStates redis, RateLimitStates fallback,
			@Nullable RejectionCache rejections, @Nullable LastAnswers answers) {
		return new ResilientStates(policy.name(), redis, fallback, breakers(redis), rejections, answers, this.clock);
	}

	private Function<String, Breaker> breakers(RedisStates redis) {
		if (this.runner.isCluster()) {
			return (key) -> this.breakers.of(this.runner.node(redis.name(key)));
		}
		Breaker only = this.breakers.of("");
		return (key) -> only;
	}

	@Override
	public Supplier<RateLimitSession> sessions() {
		JointCalls calls = new JointCalls(this.runner, this.clock, this.settings.timeout());
		return () -> new RedisSession(calls, this.clock, new WaitingTime(this.settings.timeout()));
	}

	/*
	 * A limit that counts rejected requests must see them.
	 */
	private @Nullable RejectionCache rejections(RateLimitPolicy policy, KeyMemory<KnownKey> known) {
		boolean counted = policy.limits().stream().anyMatch(RateLimit::countRejected);
		return (counted || this.settings.rejectionMemory().isZero()) ? null
				: new RejectionCache(this.settings.rejectionMemory(), known);
	}

	@Override
	public RateLimitStoreAvailability availability() {
		return this.availability;
	}

	/**
	 * Closes the store's connection. Every decision is then the failure mode's.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

}
