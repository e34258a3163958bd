package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.Random;
import java.util.function.Function;

import io.github.ratelimit.Heap;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever clients send, and however much of it, nothing is kept for it but the bounded
 * state of keys. What Tomcat and Spring keep of requests is bounded, too: as many
 * requests as are counted come before.
 */
class RequestFloodTests {

	private static final int REQUESTS = 5_400;

	/* What is sent on one connection, as many as Tomcat serves. */
	private static final int BATCH = 100;

	/* Fewer than there are requests of each shape, more than there is to and fro. */
	private static final long MOST_INSTANCES = 200;

	/* The class loaders remember every name that they were asked for in vain. */
	private static final String NO_CLASS_PATH = "spring.web.resources.static-locations=file:missing/";

	private static final long SEED = 20261122;

	private static final List<Function<Random, String>> SHAPES = List.of(
			(random) -> request("OPTIONS", "/open", random, ""), (random) -> request("OPTIONS", "/limited", random, ""),
			(random) -> request("OPTIONS", "/" + text(random), random, ""),
			(random) -> request("OPTIONS", "/limited", random,
					"Origin: https://" + text(random) + ".example\r\nAccess-Control-Request-Method: GET\r\n"),
			(random) -> request("BREW", "/limited", random, ""), (random) -> request(text(random), "/open", random, ""),
			(random) -> request("GET", "/missing/" + text(random), random, ""),
			(random) -> request("GET", "/" + text(random) + "/../" + text(random), random, ""),
			(random) -> request("HEAD", "/limited", random, ""),
			(random) -> request("GET", "/limited;v=" + text(random) + "?q=" + text(random), random, ""),
			(random) -> request("GET", "/variable/" + text(random), random, ""),
			(random) -> request("GET", "/by-key", random, "X-Api-Key: " + text(random) + "\r\n"),
			(random) -> request("POST", "/limited", random, ""), (random) -> request("DELETE", "/body", random, ""),
			(random) -> request("GET", "/function/" + text(random), random, ""),
			(random) -> request("OPTIONS", "/function/" + text(random), random, ""),
			(random) -> request("GET", "/open", random, "X-Forwarded-For: " + text(random) + "\r\n"),
			(random) -> request("GET", "/limited", random, "Origin: https://" + text(random) + ".example\r\n"));

	@Test
	void leavesNothingBehind() {
		try (TestServer server = TestServer.start(Application.class, "all: 5 per 1h", "/** -> all; methods=DELETE",
				"/open/** -> all", "ratelimit.caffeine.maximum-size=100", "logging.level.root=off", NO_CLASS_PATH,
				"server.tomcat.resource.allow-caching=false")) {
			Random random = new Random(SEED);
			flood(server, random);
			Heap before = Heap.now();
			flood(server, random);
			Heap after = Heap.now();
			assertThat(after.growth(before)).as("objects left by a flood; seed " + SEED)
				.allSatisfy((type, more) -> assertThat(more).isLessThan(MOST_INSTANCES));
		}
	}

	private static void flood(TestServer server, Random random) {
		for (int i = 0; i < REQUESTS / BATCH; i++) {
			StringBuilder batch = new StringBuilder();
			for (int j = 1; j < BATCH; j++) {
				batch.append(SHAPES.get((i + j) % SHAPES.size()).apply(random));
			}
			batch.append(request("GET", "/fail/" + text(random), random, "Connection: close\r\n"));
			assertThat(server.exchange(batch.toString()).split("HTTP/1\\.1 [1-5]", -1)).hasSize(BATCH + 1);
		}
	}

	private static String request(String method, String path, Random random, String headers) {
		return method + " " + path + " HTTP/1.1\r\nHost: " + text(random) + ".example\r\n" + headers + "X-"
				+ text(random) + ": " + text(random) + "\r\n\r\n";
	}

	private static String text(Random random) {
		return "x" + Long.toString(random.nextLong(), Character.MAX_RADIX).replace("-", "");
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Rest.class)
	static class Application {

		@Bean
		RouterFunction<ServerResponse> functions() {
			return RouterFunctions.route()
				.GET("/function/{name}", (request) -> ServerResponse.ok().body(request.pathVariable("name")))
				.build();
		}

	}

	@RestController
	@CrossOrigin
	static class Rest {

		@GetMapping("/open")
		public String open() {
			return "open";
		}

		@RateLimited(limit = 100, window = "1h")
		@GetMapping("/limited")
		public String limited() {
			return "limited";
		}

		@RateLimited(limit = 100, window = "1h", key = "pathVariable('name')")
		@GetMapping("/variable/{name}")
		public String variable(@PathVariable String name) {
			return name;
		}

		@RateLimited(limit = 100, window = "1h", key = "header('X-Api-Key')")
		@GetMapping("/by-key")
		public String byKey() {
			return "key";
		}

		@RateLimited(limit = 100, window = "1h", key = "#name")
		@GetMapping("/fail/{name}")
		public String fail(@PathVariable String name) {
			throw new IllegalArgumentException(name);
		}

		@PostMapping("/body")
		public String body() {
			return "body";
		}

	}

}
