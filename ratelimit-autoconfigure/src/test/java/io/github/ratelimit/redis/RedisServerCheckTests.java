package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers say what they are, and settings that do not fit are logged once.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisServerCheckTests {

	private static RedisServerCheck checked(RedisConnectionFactory factory) {
		RedisServerCheck check = new RedisServerCheck(factory, new RateLimitFindings());
		check.begin();
		return check;
	}

	@ParameterizedTest
	@EnumSource
	void aServerThatEvictsIsFound(ClientKind client, CapturedOutput output) {
		try (TestRedis redis = TestRedis.start("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
			RedisConnectionFactory factory = client.standalone(redis.port());
			RedisServerCheck check = checked(factory);
			TestRedis.await(() -> !check.findings().isEmpty());
			TestRedis.await(() -> output.getAll().contains("maxmemory-policy allkeys-lru"));
			assertThat(check.findings()).singleElement().asString().startsWith("Redis has the maxmemory-policy");
			assertThat(output.getAll()).contains("WARN");
			ClientKind.stop(factory);
		}
	}

	@Test
	void whatIsFoundIsAddedToTheFindings() {
		try (TestRedis redis = TestRedis.start("--maxmemory", "50mb", "--maxmemory-policy", "volatile-ttl")) {
			RedisConnectionFactory factory = ClientKind.LETTUCE.standalone(redis.port());
			RateLimitFindings findings = new RateLimitFindings();
			try (RedisServerCheck check = new RedisServerCheck(factory, findings)) {
				check.begin();
				TestRedis.await(() -> !findings.list().isEmpty());
			}
			assertThat(findings.list()).extracting(RateLimitFinding::code)
				.containsExactly(FindingCode.REDIS_EVICTS_SHORTEST);
			ClientKind.stop(factory);
		}
	}

	@ParameterizedTest
	@EnumSource
	void eachMasterOfAClusterIsAsked(ClientKind client) {
		TestCluster cluster = TestCluster.shared();
		try {
			TestRedis second = cluster.nodes().get(1);
			second.call("CONFIG", "SET", "maxmemory", "50mb");
			second.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
			RedisConnectionFactory factory = client.cluster(cluster.nodes());
			RedisServerCheck check = checked(factory);
			TestRedis.await(() -> !check.findings().isEmpty());
			assertThat(check.findings()).singleElement()
				.asString()
				.startsWith("Redis at 127.0.0.1:" + second.port() + " has the maxmemory-policy volatile-lru");
			ClientKind.stop(factory);
		}
		finally {
			cluster.nodes().get(1).call("CONFIG", "SET", "maxmemory", "0");
			cluster.nodes().get(1).call("CONFIG", "SET", "maxmemory-policy", "noeviction");
		}
	}

	@ParameterizedTest
	@EnumSource
	void aServerThatIsDownAtFirstIsAskedWhenItIsBack(ClientKind client) {
		try (TestRedis redis = TestRedis.start("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
			redis.kill();
			RedisConnectionFactory factory = client.standalone(redis.port());
			try (RedisServerCheck check = new RedisServerCheck(factory, new RateLimitFindings(),
					Duration.ofMillis(50))) {
				check.begin();
				assertThat(check.findings()).isEmpty();
				redis.startAgain();
				TestRedis.await(() -> !check.findings().isEmpty());
				// none, if it was asked before the server's statistics were reset
				assertThat(redis.info("commandstats", "cmdstat_info")).matches("(calls=1,.*)?");
			}
			ClientKind.stop(factory);
		}
	}

	@Test
	void aCheckWithoutThePermissionFindsNothing(CapturedOutput output) {
		try (TestRedis redis = TestRedis.start("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
			redis.call("ACL", "SETUSER", "default", "-info");
			RedisConnectionFactory factory = ClientKind.LETTUCE.standalone(redis.port());
			RedisServerCheck check = checked(factory);
			TestRedis.await(() -> redis.call("ACL", "LOG").contains("info"));
			assertThat(check.findings()).isEmpty();
			assertThat(output.getAll()).doesNotContain("WARN");
			ClientKind.stop(factory);
		}
	}

}
