package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.redis.TestRedis;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that reads from replicas decides on the master.
 */
class RedisReplicasTests {

	private static final String NODES = "spring.data.redis.masterreplica.nodes=127.0.0.1:%2$d,127.0.0.1:%1$d";

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

	private ApplicationContextRunner runner(String nodes, String... more) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RateLimitAutoConfiguration.class,
					RateLimitRedisAutoConfiguration.class))
			.withPropertyValues(nodes.formatted(this.master.port(), this.replica.port()),
					"spring.data.redis.lettuce.read-from=replicaPreferred", "ratelimit.store=redis",
					"ratelimit.redis.timeout=20s", "ratelimit.policies.login.limits[0].limit=2",
					"ratelimit.policies.login.limits[0].window=1h")
			.withPropertyValues(more);
	}

	@ParameterizedTest
	@ValueSource(strings = { NODES, "spring.data.redis.port=%1$d" })
	void decisionsAreMadeOnTheMaster(String nodes) {
		runner(nodes).run((context) -> {
			RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
			RateLimitDecision decision = registry.decide("login", "ada");
			assertThat(decision.remaining()).isEqualTo(1);
			assertThat(decision.fallback()).isFalse();
			assertThat(context.getBean(RateLimitStoreAvailability.class).isAvailable()).isTrue();
			assertThat(this.master.keys()).containsExactly("ratelimit:{login:ada}");
		});
	}

	@Test
	void decisionsAreMadeOnTheMasterWhereTheApplicationMakesTheFactoryItself() {
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
				this.replica.port());
		servers.addNode("127.0.0.1", this.master.port());
		runner("spring.application.name=shop")
			.withBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(servers))
			.run((context) -> {
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				assertThat(registry.decide("login", "ada").fallback()).isFalse();
				assertThat(this.master.keys()).containsExactly("ratelimit:{login:ada}");
			});
	}

	@Test
	void decisionsFollowTheMaster() {
		runner(NODES, "spring.data.redis.lettuce.pool.enabled=false").run((context) -> {
			RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
			assertThat(registry.decide("login", "ada").fallback()).isFalse();
			this.replica.call("REPLICAOF", "NO", "ONE");
			this.master.call("REPLICAOF", "127.0.0.1", "" + this.replica.port());
			TestRedis.await(() -> this.master.info("replication", "master_link_status").equals("up"));
			assertThat(registry.decide("login", "bob").fallback()).isFalse();
			assertThat(this.replica.keys()).contains("ratelimit:{login:bob}");
		});
	}

}
