package io.github.ratelimit.web.servlet;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.Heap;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.ServletException;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever clients send, and however much of it, nothing is kept for it but the bounded
 * state of keys. What Tomcat and Spring keep of requests is bounded, too: as many
 * requests as are counted come before. The log has a few lines of each kind.
 */
class RequestFloodTests {

	private static final int REQUESTS = 5_400;

	/* What is sent on one connection, as many as Tomcat serves. */
	private static final int BATCH = 100;

	/* Fewer than there are requests of each shape, more than there is to and fro. */
	private static final long MAX_INSTANCES = 200;

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

	private static final List<Integer> ONCE = List.of(1, 1);

	/* How many lines there are in the first minute, and in both, by their beginning. */
	private static final Map<String, List<Integer>> BOUNDS = Map.of("The rate limit policy 'banning' bans the key",
			List.of(3, 6), "The key 'header('X-Key').substring(100)' of Controller.wild() ", ONCE,
			"The key of Controller.wild() (policy 'Controller.wild') was empty", ONCE,
			"The cost 'header('X-Key').length() - 1000' of Controller.wild() ", ONCE,
			"The condition 'header('X-Key').charAt(100) == 'a'' of Controller.wild() ", ONCE,
			"The charge 'header('X-Key').substring(100).length()' of Controller.wild() ", ONCE,
			"The rate limit policy 'planned' has no plan", ONCE, "Forwarded and X-Forwarded-For disagree", ONCE,
			"X-Forwarded-For or Forwarded held an address in none", ONCE);

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.github.ratelimit");

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

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
				.allSatisfy((type, more) -> assertThat(more).isLessThan(MAX_INSTANCES));
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

	@Test
	void aFloodLeavesAFewLinesOfEachKindAndSaysHowManyItHasNot() {
		try (TestServer server = TestServer.start(Controller.class,
				"banning: 1 per 1h; key=header('X-Key'); ban.after=1", "planned: 100000 per 1h; plan=header('X-Plan')",
				"ratelimit.policies.planned.plans.pro.limit=100000", "ratelimit.policies.planned.plans.pro.window=1h",
				"/banning -> banning", "/wild -> planned", "ratelimit.client-address.trusted-proxies=127.0.0.1",
				"logging.level.org.apache.catalina=off")) {
			this.logger.setLevel(Level.INFO);
			this.lines.start();
			this.logger.addAppender(this.lines);
			flood(server, "first");
			assertLines(0);
			server.clock().advance(Duration.ofMinutes(1));
			flood(server, "second");
			assertLines(1);
		}
		finally {
			this.logger.detachAppender(this.lines);
			this.logger.setLevel(null);
		}
		assertThat(messages()).filteredOn((line) -> line.contains(" more "))
			.satisfiesExactly((line) -> assertThat(line).endsWith("There were 97 more bans that were not logged"));
	}

	private static void flood(TestServer server, String time) {
		for (int i = 0; i < 100; i++) {
			String key = "intruder-" + time + i;
			server.get("/banning", "X-Key", key);
			server.get("/banning", "X-Key", key);
			server.get("/failing");
			server.get("/wild", "X-Key", key, "X-Plan", key, "Forwarded", "for=192.0.2." + i, "X-Forwarded-For",
					"198.51.100." + i);
		}
	}

	private void assertLines(int minute) {
		Map<String, Integer> expected = BOUNDS.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (each) -> each.getValue().get(minute)));
		Map<String, Integer> found = messages().stream()
			.collect(Collectors.toMap(RequestFloodTests::kind, (line) -> 1, Integer::sum, TreeMap::new));
		assertThat(found).containsExactlyInAnyOrderEntriesOf(expected);
	}

	private static String kind(String line) {

		return BOUNDS.keySet().stream().filter(line::startsWith).findFirst().orElse(line);
	}

	private List<String> messages() {
		return this.lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
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

	@RestController
	static class Controller {

		@Bean
		static RateLimitRejectionHandler failingHandler() {
			return (request, response, policy, decision) -> {
				throw new ServletException("for this test");
			};
		}

		@GetMapping("/banning")
		String banning() {
			return "banning";
		}

		@GetMapping("/failing")
		@RateLimited(limit = 1, window = "1h", key = "'global' + #none")
		public String failing(@RequestParam(required = false) String none) {
			return "failing";
		}

		@GetMapping("/wild")
		@RateLimited(limit = 100_000, window = "1d", key = "header('X-Key').substring(100)",
				cost = "header('X-Key').length() - 1000", condition = "header('X-Key').charAt(100) == 'a'",
				charge = "header('X-Key').substring(100).length()")
		String wild() {
			return "wild";
		}

	}

}
