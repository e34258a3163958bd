package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.Properties;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

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

	@Test
	void whatIsFoundIsAddedToTheFindings() {
		try (TestRedis redis = TestRedis.start("--maxmemory", "50mb", "--maxmemory-policy", "volatile-ttl")) {
			RedisConnectionFactory factory = ClientKind.LETTUCE.standalone(redis.port());
			check(factory);
			TestRedis.await(() -> !found().isEmpty());
			assertThat(this.findings.list()).extracting(RateLimitFinding::code)
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

	private static Properties info(String version, String maximum, String policy) {
		Properties info = new Properties();
		info.setProperty("redis_version", version);
		info.setProperty("maxmemory", maximum);
		info.setProperty("maxmemory_policy", policy);
		return info;
	}

	@ParameterizedTest
	@ValueSource(strings = { "2.8.19", "5.0.14", "6.0.16" })
	void anOldServerIsToBeReplaced(String version) {
		assertThat(RedisServerCheck.judge("Redis at 10.0.0.1:6379", info(version, "0", "noeviction"))).singleElement()
			.satisfies((finding) -> assertThat(finding.code()).isEqualTo(FindingCode.OLD_REDIS))
			.satisfies((finding) -> assertThat(finding.text()).startsWith("Redis at 10.0.0.1:6379 ")
				.contains(version, "6.2 and later"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "6.2.0", "6.2.14", "7.0.15", "7.2", "8.0.1", "10.0.0", "255.255.255", "", "unknown", "7",
			"99999999999.0.0" })
	void aNewServerAndOneThatIsNotKnownAreLeftAlone(String version) {
		assertThat(RedisServerCheck.judge("Redis", info(version, "0", "noeviction"))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu",
			"volatile-random" })
	void aServerThatEvictsWhatCountsIsToBeChanged(String policy) {
		assertThat(RedisServerCheck.judge("Redis", info("7.0.15", "52428800", policy))).singleElement()
			.satisfies((finding) -> assertThat(finding.code()).isEqualTo(FindingCode.REDIS_EVICTS))
			.satisfies((finding) -> assertThat(finding.text()).contains(policy, "Set maxmemory-policy to noeviction"));
	}

	@Test
	void whatExpiresFirstMayGoFirst() {
		assertThat(RedisServerCheck.judge("Redis", info("7.0.15", "52428800", "volatile-ttl"))).singleElement()
			.satisfies((finding) -> assertThat(finding.code()).isEqualTo(FindingCode.REDIS_EVICTS_SHORTEST));
	}

	@ParameterizedTest
	@CsvSource({ "0, allkeys-lru", "52428800, noeviction" })
	void aServerThatEvictsNothingIsLeftAlone(String maximum, String policy) {
		assertThat(RedisServerCheck.judge("Redis", info("7.0.15", maximum, policy))).isEmpty();
	}

	@Test
	void aServerThatSaysNothingIsLeftAlone() {
		assertThat(RedisServerCheck.judge("Redis", new Properties())).isEmpty();
	}

}
