package io.github.ratelimit.integration.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.github.ratelimit.integration.fixtures.Client;
import io.github.ratelimit.integration.fixtures.LocalRedis;
import io.github.ratelimit.integration.fixtures.Target;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A gateway whose limits are in Redis, which answers, then no longer does, and then is
 * gone.
 */
@Timeout(120)
class GatewayWithRedisTests {

	private static final String[] ROUTES = { "ruled", "filtered", "requested" };

	private LocalRedis redis;

	@BeforeEach
	void start() throws IOException {
		this.redis = LocalRedis.start();
	}

	@AfterEach
	void stop() throws IOException {
		this.redis.close();
	}

	@Test
	void requestsAreAnsweredInTimeWhateverBecomesOfRedis() throws IOException {
		try (Target target = Target.start();
				ConfigurableApplicationContext gateway = Gateway.start(target, Gateway.class, "--ratelimit.store=redis",
						"--" + this.redis.property())) {
			Client client = new Client(Gateway.port(gateway));
			await().atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(keys(gateway, client)).as("keys in Redis").isPositive());
			for (String route : ROUTES) {
				assertThat(statuses(client, route, "while Redis answers")).containsExactly(200, 200, 429);
			}
			pause(gateway);
			for (String route : ROUTES) {
				assertThat(statuses(client, route, "while Redis hangs")).containsExactly(200, 200, 429);
			}
			this.redis.close();
			for (String route : ROUTES) {
				assertThat(statuses(client, route, "while Redis is gone")).containsExactly(200, 200, 429);
			}
		}
	}

	/* The first calls may find no connection yet. */
	private static long keys(ConfigurableApplicationContext gateway, Client client) {
		client.get("/filtered", Target.CALLER, "first");
		try (RedisConnection connection = gateway.getBean(RedisConnectionFactory.class).getConnection()) {
			Long size = connection.serverCommands().dbSize();
			return (size != null) ? size : 0;
		}
	}

	private static void pause(ConfigurableApplicationContext gateway) {
		try (RedisConnection connection = gateway.getBean(RedisConnectionFactory.class).getConnection()) {
			connection.execute("CLIENT", "PAUSE".getBytes(StandardCharsets.US_ASCII),
					"60000".getBytes(StandardCharsets.US_ASCII));
		}
	}

	private static int[] statuses(Client client, String route, String caller) {
		int[] statuses = new int[3];
		for (int i = 0; i < statuses.length; i++) {
			long start = System.nanoTime();
			statuses[i] = client.get("/" + route, Target.CALLER, caller).statusCode();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).as(route + " " + caller)
				.isLessThan(Duration.ofSeconds(30));
		}
		return statuses;
	}

}
