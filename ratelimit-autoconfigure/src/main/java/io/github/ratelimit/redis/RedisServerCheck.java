package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

import io.github.ratelimit.BackgroundThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Asks the servers once what they are, by {@code INFO}, and logs what does not fit rate
 * limits. Nobody waits for it, and it may fail: it is no part of any decision.
 */
public final class RedisServerCheck {

	private static final Log logger = LogFactory.getLog(RedisServerCheck.class);

	private final RedisConnectionFactory factory;

	private volatile List<ServerFinding> findings = List.of();

	/**
	 * Creates a check that has not begun.
	 * @param factory the application's connections
	 */
	public RedisServerCheck(RedisConnectionFactory factory) {
		this.factory = factory;
	}

	/**
	 * Begins to ask, on a thread of its own.
	 */
	public void begin() {
		new BackgroundThreads("ratelimit-redis-check").newThread(this::run).start();
	}

	/**
	 * What was found until now.
	 * @return one sentence or more for each
	 */
	public List<String> findings() {
		return this.findings.stream().map(ServerFinding::text).toList();
	}

	private void run() {
		try (RedisConnection connection = this.factory.getConnection()) {
			this.findings = (connection instanceof RedisClusterConnection cluster) ? ofCluster(cluster)
					: of("Redis", connection.serverCommands().info());
			this.findings.forEach(RedisServerCheck::log);
		}
		catch (RuntimeException ex) {
			logger.debug("Redis was not asked what it is", ex);
		}
	}

	private static List<ServerFinding> ofCluster(RedisClusterConnection cluster) {
		List<ServerFinding> findings = new ArrayList<>();
		for (RedisClusterNode node : cluster.clusterGetNodes()) {
			if (node.isMaster()) {
				findings.addAll(of("Redis at " + node.asString(), cluster.serverCommands().info(node)));
			}
		}
		return List.copyOf(findings);
	}

	private static List<ServerFinding> of(String server, @Nullable Properties info) {
		return (info != null) ? ServerFindings.of(server, info) : List.of();
	}

	private static void log(ServerFinding finding) {
		if (finding.isWarning()) {
			logger.warn(finding.text());
		}
		else {
			logger.info(finding.text());
		}
	}

}
