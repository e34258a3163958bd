package io.github.ratelimit.redis;

import java.util.Properties;

import io.github.ratelimit.findings.FindingCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What about a server an operator should know, and what not.
 */
class ServerFindingsTests {

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
