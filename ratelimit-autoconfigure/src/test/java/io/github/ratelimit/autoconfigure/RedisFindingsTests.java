package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.redis.RedisServerCheck.Misfit;
import io.github.ratelimit.redis.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What does not fit about a Redis server is a finding, and in the log.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisFindingsTests {

	@Test
	void aServerThatEvictsIsFoundAndLogged(CapturedOutput output) {
		try (TestRedis redis = TestRedis.start("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
						RateLimitAutoConfiguration.class, RateLimitRedisAutoConfiguration.class))
				.withPropertyValues("spring.data.redis.port=" + redis.port(), "ratelimit.store=redis")
				.run((context) -> {
					RateLimitFindings findings = context.getBean(RateLimitFindings.class);
					TestRedis.await(() -> output.getAll().contains("maxmemory-policy allkeys-lru"));
					assertThat(output.getAll().lines().filter((line) -> line.contains("maxmemory-policy allkeys-lru")))
						.singleElement()
						.asString()
						.contains("WARN", "(RL010)");
					assertThat(findings.list()).extracting(RateLimitFinding::code).contains(FindingCode.REDIS_EVICTS);
				});
		}
	}

	@ParameterizedTest
	@CsvSource({ "OLD, RL012", "EVICTS, RL010", "EVICTS_SHORTEST, RL011" })
	void eachMisfitIsAFindingOfItsOwn(Misfit misfit, String code) {
		assertThat(RateLimitRedisAutoConfiguration.code(misfit).id()).isEqualTo(code);
	}

}
