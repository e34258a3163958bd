package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.redis.RedisServerCheck.Misfit;
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
 * Servers say what they are, and settings that do not fit are reported once.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisServerCheckTests {

	/* The text that each server's misfit was reported with. */
	private final Map<String, Misfit> reported = new ConcurrentHashMap<>();

	private void report(Misfit misfit, String text) {
		assertThat(this.reported.put(text, misfit)).as(text).isNull();
	}

	private void check(RedisConnectionFactory factory) {
		new RedisServerCheck(factory, this::report).begin();
	}

	private List<String> found() {
		return List.copyOf(this.reported.keySet());
	}

	@ParameterizedTest
	@EnumSource
	void aServerThatEvictsIsFound(ClientKind client) {
		try (TestRedis redis = TestRedis.start("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
			RedisConnectionFactory factory = client.standalone(redis.port());
			check(factory);
			TestRedis.await(() -> !found().isEmpty());
			assertThat(found()).singleElement().asString().startsWith("Redis has the maxmemory-policy");
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
			try (RedisServerCheck check = new RedisServerCheck(factory, this::report, Duration.ofMillis(50))) {
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
			redis_version=2.8.19 | OLD
			redis_version=5.0.14 | OLD
			redis_version=6.0.16 | OLD
			redis_version=6.2.0 |
			redis_version=7 |
			redis_version=10.0.0 |
			redis_version=99999999999.0.0 |
			redis_version=unknown |
			role=master |
			maxmemory=0;maxmemory_policy=allkeys-lru |
			maxmemory=52428800;maxmemory_policy=noeviction |
			maxmemory=52428800;maxmemory_policy=allkeys-lru | EVICTS
			maxmemory=52428800;maxmemory_policy=allkeys-random | EVICTS
			maxmemory=52428800;maxmemory_policy=volatile-lfu | EVICTS
			maxmemory=52428800;maxmemory_policy=volatile-ttl | EVICTS_SHORTEST
			""")
	void whatDoesNotFitLimitsIsFound(String answer, @Nullable Misfit expected) throws IOException {
		Properties info = new Properties();
		info.load(new StringReader(answer.replace(';', '\n')));
		new RedisServerCheck(mock(), this::report).judge("Redis at 10.0.0.1:6379", info);
		assertThat(this.reported.values())
			.containsExactlyElementsOf((expected != null) ? List.of(expected) : List.of());
		assertThat(found()).allMatch((text) -> text.startsWith("Redis at 10.0.0.1:6379 "));
	}

}
