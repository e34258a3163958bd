package io.github.ratelimit.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the sample have one budget, if it is in Redis, and one each without.
 */
class SharedBudgetTests {

	private static final List<String> REPORT = List.of("curl", "-si", "-H", "X-Api-Key: acme",
			"127.0.0.1:8080/reports?pages=400");

	@Test
	void withRedisTwoInstancesShareOneBudget() throws IOException, InterruptedException {
		RedisServer redis = startRedis();
		try {
			assertThat(remaining("--spring.profiles.active=redis", "--spring.data.redis.port=" + redis.ports().get(0),
					"--ratelimit.redis.timeout=10s"))
				.containsExactly("600", "200");
		}
		finally {
			redis.stop();
		}
	}

	@Test
	void withoutRedisEachInstanceHasItsOwn() throws IOException, InterruptedException {
		assertThat(remaining()).containsExactly("600", "600");
	}

	private static List<String> remaining(String... arguments) throws IOException, InterruptedException {
		try (ConfigurableApplicationContext one = start(arguments);
				ConfigurableApplicationContext other = start(arguments)) {
			return List.of(remaining(one), remaining(other));
		}
	}

	private static ConfigurableApplicationContext start(String... arguments) {
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.setDefaultProperties(Map.of("server.port", "0"));
		return application.run(arguments);
	}

	private static String remaining(ConfigurableApplicationContext instance) throws IOException, InterruptedException {
		int port = instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		return new Curl(port).run(REPORT)
			.stream()
			.filter((line) -> line.toLowerCase().startsWith("ratelimit: "))
			.map((line) -> line.replaceAll(".*\"reports\";r=(\\d+).*", "$1"))
			.findFirst()
			.orElseThrow();
	}

	/*
	 * Somebody else may take a free port before the server does.
	 */
	private static RedisServer startRedis() throws IOException {
		for (int attempt = 1;; attempt++) {
			RedisServer redis = RedisServer.newRedisServer().port(freePort()).bind("127.0.0.1").build();
			try {
				redis.start();
				return redis;
			}
			catch (IOException ex) {
				if (attempt == 5) {
					throw ex;
				}
			}
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

}
