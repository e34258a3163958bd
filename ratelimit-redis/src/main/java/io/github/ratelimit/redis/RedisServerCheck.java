package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

import io.github.ratelimit.support.BackgroundThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Asks the servers once what they are, by {@code INFO}, and reports what does not fit
 * rate limits. Asks again only while none can be reached. No decision waits for it.
 *
 * @since 0.1.0
 */
public final class RedisServerCheck implements AutoCloseable {

	private static final Duration PAUSE = Duration.ofSeconds(10);

	/* A version before 6.2. */
	private static final Pattern OLD = Pattern.compile("([0-5]\\.\\d+|6\\.[01])(\\..*)?");

	private static final Log logger = LogFactory.getLog(RedisServerCheck.class);

	private final RedisConnectionFactory factory;

	private final BiConsumer<Misfit, String> report;

	private final Duration pause;

	private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
			new BackgroundThreads("ratelimit-redis-check"));

	/**
	 * Creates a check that has not begun.
	 * @param factory the application's connections
	 * @param report is given on another thread what does not fit, and of which server, in
	 * one sentence
	 */
	public RedisServerCheck(RedisConnectionFactory factory, BiConsumer<Misfit, String> report) {
		this(factory, report, PAUSE);
	}

	RedisServerCheck(RedisConnectionFactory factory, BiConsumer<Misfit, String> report, Duration pause) {
		this.factory = factory;
		this.report = report;
		this.pause = pause;
	}

	/**
	 * Begins to ask, on a thread of its own.
	 */
	public void begin() {
		this.thread.scheduleWithFixedDelay(this::run, 0, this.pause.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void run() {
		try (RedisConnection connection = this.factory.getConnection()) {
			if (connection instanceof RedisClusterConnection cluster) {
				for (RedisClusterNode node : cluster.clusterGetNodes()) {
					if (node.isMaster()) {
						judge("Redis at " + node.asString(), cluster.serverCommands().info(node));
					}
				}
			}
			else {
				judge("Redis", connection.serverCommands().info());
			}
			this.thread.shutdown();
		}
		catch (RedisConnectionFailureException | QueryTimeoutException ex) {
			logger.debug("Redis cannot be reached to ask what it is", ex);
		}
		catch (RuntimeException ex) {
			logger.debug("Redis does not say what it is", ex);
			this.thread.shutdown();
		}
	}

	/**
	 * Asks no more.
	 */
	@Override
	public void close() {
		this.thread.shutdownNow();
	}

	/**
	 * Judges whether a server would make limits fail or forgive, by what it says of
	 * itself.
	 * @param server how to call it, such as Redis
	 * @param info what it answered to {@code INFO}
	 */
	void judge(String server, @Nullable Properties info) {
		if (info == null) {
			return;
		}

		String version = info.getProperty("redis_version", "");
		if (OLD.matcher(version).matches()) {
			this.report.accept(Misfit.OLD, server + " is of version " + version
					+ ", and limits are tested with 6.2 and later; one before 6.0 fails all scripts, so that each policy's "
					+ "on-failure decides.");
		}

		String policy = info.getProperty("maxmemory_policy", "noeviction");
		if (!info.getProperty("maxmemory", "0").equals("0") && !policy.equals("noeviction")) {
			// All keys expire, so that each policy concerns them. One evicts first what
			// matters least.
			Misfit misfit = Misfit.EVICTS;
			String forgotten = "keys that still count";
			if (policy.equals("volatile-ttl")) {
				misfit = Misfit.EVICTS_SHORTEST;
				forgotten = "the keys that expire first";
			}
			this.report.accept(misfit,
					server + " has the maxmemory-policy " + policy + ": when its memory is full, it forgets "
							+ forgotten + ", and their callers have their whole budget again.");
		}
	}

	/**
	 * The properties of a server that do not fit rate limits.
	 *
	 * @since 0.1.0
	 */
	public enum Misfit {

		/** It is older than what limits are tested with. */
		OLD,

		/** When its memory is full, it forgets keys that still count. */
		EVICTS,

		/** When its memory is full, it forgets the keys that expire first. */
		EVICTS_SHORTEST

	}

}
