package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Servers say what they are, and settings that do not fit are logged once.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisServerCheckTests {

	private final RateLimitFindings findings = new RateLimitFindings();

	private void check(RedisConnectionFactory factory) {
		new RedisServerCheck(factory, this.findings).begin();
	}

	private List<String> found() {
		return this.findings.list().stream().map(RateLimitFinding::message).toList();
	}

	@ParameterizedTest
	@EnumSource
	void aServerThatEvictsIsFound(ClientKind client, CapturedOutput output) {
		try (TestRedis redis = TestRedis.start("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
			RedisConnectionFactory factory = client.standalone(redis.port());
			check(factory);
			TestRedis.await(() -> !found().isEmpty());
			TestRedis.await(() -> output.getAll().contains("maxmemory-policy allkeys-lru"));
			assertThat(found()).singleElement().asString().startsWith("Redis has the maxmemory-policy");
			assertThat(output.getAll()).contains("WARN");
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
			check(factory);
			TestRedis.await(() -> !found().isEmpty());
			assertThat(found()).singleElement()
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
			try (RedisServerCheck check = new RedisServerCheck(factory, this.findings, Duration.ofMillis(50))) {
				check.begin();
				assertThat(found()).isEmpty();
				redis.startAgain();
				TestRedis.await(() -> !found().isEmpty());
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
			check(factory);
			TestRedis.await(() -> redis.call("ACL", "LOG").contains("info"));
			assertThat(found()).isEmpty();
			assertThat(output.getAll()).doesNotContain("WARN");
			ClientKind.stop(factory);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redis_version=2.8.19 | OLD_REDIS
			redis_version=5.0.14 | OLD_REDIS
			redis_version=6.0.16 | OLD_REDIS
			redis_version=6.2.0 |
			redis_version=7 |
			redis_version=10.0.0 |
			redis_version=99999999999.0.0 |
			redis_version=unknown |
			role=master |
			maxmemory=0;maxmemory_policy=allkeys-lru |
			maxmemory=52428800;maxmemory_policy=noeviction |
			maxmemory=52428800;maxmemory_policy=allkeys-lru | REDIS_EVICTS
			maxmemory=52428800;maxmemory_policy=allkeys-random | REDIS_EVICTS
			maxmemory=52428800;maxmemory_policy=volatile-lfu | REDIS_EVICTS
			maxmemory=52428800;maxmemory_policy=volatile-ttl | REDIS_EVICTS_SHORTEST
			""")
	void whatDoesNotFitLimitsIsFound(String answer, @Nullable FindingCode expected) throws IOException {
		Properties info = new Properties();
		info.load(new StringReader(answer.replace(';', '\n')));
		new RedisServerCheck(mock(), this.findings).judge("Redis at 10.0.0.1:6379", info);
		assertThat(this.findings.list()).extracting(RateLimitFinding::code)
			.isEqualTo((expected != null) ? List.of(expected) : List.of());
		assertThat(found()).allMatch((text) -> text.startsWith("Redis at 10.0.0.1:6379 "));
	}

}
