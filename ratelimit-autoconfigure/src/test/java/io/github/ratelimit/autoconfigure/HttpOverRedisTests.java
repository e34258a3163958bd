package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.redis.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How often requests over HTTP ask the server, once for all rules and once for the
 * handler method's annotation.
 */
class HttpOverRedisTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	@AutoClose
	static TestRedis redis;

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void start() {
		redis = TestRedis.start();
		application = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"spring.data.redis.port=" + redis.port(), "ratelimit.store=redis", "ratelimit.redis.timeout=20s",
					"ratelimit.redis.rejection-memory=1m", "ratelimit.key=parameter('name')",
					"ratelimit.policies.wide.limit=10", "ratelimit.policies.wide.window=100h",
					"ratelimit.policies.wider.limit=20", "ratelimit.policies.wider.window=100h",
					"ratelimit.policies.narrow.limit=2", "ratelimit.policies.narrow.window=100h",
					"ratelimit.rules[0].path=/ruled", "ratelimit.rules[0].policy=wide",
					"ratelimit.rules[1].path=/ruled", "ratelimit.rules[1].policy=wider",
					"ratelimit.rules[2].path=/both", "ratelimit.rules[2].policy=wide")
			.run();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void clean() {
		redis.call("FLUSHALL");
	}

	@Test
	void twoRulesAreOneCall() throws Exception {
		countCalls();
		for (int i = 1; i <= 10; i++) {
			assertThat(get("/ruled?name=ann").statusCode()).isEqualTo(200);
		}
		assertThat(calls()).isEqualTo(10);
		assertThat(get("/ruled?name=ann").statusCode()).isEqualTo(429);
		assertThat(calls()).isEqualTo(11);
		assertThat(get("/ruled?name=ann").statusCode()).isEqualTo(429);
		assertThat(calls()).as("is remembered").isEqualTo(11);
	}

	@Test
	void aRuleAndAnAnnotationAreTwoCalls() throws Exception {
		countCalls();
		assertThat(get("/both?name=eve").statusCode()).isEqualTo(200);
		assertThat(calls()).isEqualTo(2);
		for (int status : new int[] { 200, 429 }) {
			HttpResponse<String> next = get("/both?name=eve");
			assertThat(next.statusCode()).isEqualTo(status);
			assertThat(next.headers().firstValue("RateLimit")).get()
				.asString()
				.contains("\"wide\";r=8", "\"narrow\";r=0");
			assertThat(calls()).as("the two, and of a rejection the return, and how the rule stands then")
				.isEqualTo((status == 200) ? 4 : 8);
		}
	}

	private static void countCalls() {
		redis.call("CONFIG", "SET", "slowlog-max-len", "1000");
		redis.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
		redis.call("SLOWLOG", "RESET");
	}

	/*
	 * Those by which an instance looks for overrides once a second are not among them. In
	 * the log there are six lines between the command and the name of its first key.
	 */
	private static long calls() {
		List<String> lines = redis.call("SLOWLOG", "GET", "1000").lines().toList();
		return IntStream.range(0, lines.size() - 6)
			.filter((i) -> lines.get(i).equalsIgnoreCase("evalsha") && !lines.get(i + 6).contains("{overrides}"))
			.count();
	}

	private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
		String port = application.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
		return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OpenToAll.class)
	@RestController
	static class Application {

		@GetMapping("/ruled")
		String ruled() {
			return "";
		}

		@RateLimited(policy = "narrow")
		@GetMapping("/both")
		String both() {
			return "";
		}

	}

}
