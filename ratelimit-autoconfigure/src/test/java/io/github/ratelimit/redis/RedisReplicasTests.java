package io.github.ratelimit.redis;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitStoreAvailability;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitRedisAutoConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that reads from replicas decides on the master.
 */
class RedisReplicasTests {

	private TestRedis master;

	private TestRedis replica;

	@BeforeEach
	void start() {
		this.master = TestRedis.start();
		this.replica = TestRedis.replicaOf(this.master);
	}

	@AfterEach
	void stop() {
		this.replica.close();
		this.master.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.masterreplica.nodes=127.0.0.1:%2$d,127.0.0.1:%1$d",
			"spring.data.redis.port=%1$d" })
	void decisionsAreMadeOnTheMaster(String nodes) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RateLimitAutoConfiguration.class,
					RateLimitRedisAutoConfiguration.class))
			.withPropertyValues(nodes.formatted(this.master.port(), this.replica.port()),
					"spring.data.redis.lettuce.read-from=replicaPreferred", "ratelimit.store=redis",
					"ratelimit.redis.timeout=20s", "ratelimit.policies.login.limits[0].limit=2",
					"ratelimit.policies.login.limits[0].window=1h")
			.run((context) -> {
				RateLimiter limiter = context.getBean(RateLimiter.class);
				RateLimitDecision decision = limiter.decide("login", "ada");
				assertThat(decision.remaining()).isEqualTo(1);
				assertThat(decision.fallback()).isFalse();
				assertThat(context.getBean(RateLimitStoreAvailability.class).isAvailable()).isTrue();
				assertThat(this.master.keys()).containsExactly("ratelimit:{login:ada}");
			});
	}

}
