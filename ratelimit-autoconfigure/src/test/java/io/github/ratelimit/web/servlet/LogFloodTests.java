package io.github.ratelimit.web.servlet;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.ServletException;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A flood of requests that cause whatever lines a client can cause leaves a few of each.
 */
class LogFloodTests {

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
	void aFloodLeavesAFewLinesOfEachKindAndSaysHowManyItHasNot() {
		try (TestServer server = TestServer.start(Application.class,
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
			.collect(Collectors.toMap(LogFloodTests::kind, (line) -> 1, Integer::sum, TreeMap::new));
		assertThat(found).containsExactlyInAnyOrderEntriesOf(expected);
	}

	private static String kind(String line) {

		return BOUNDS.keySet().stream().filter(line::startsWith).findFirst().orElse(line);
	}

	private List<String> messages() {
		return this.lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class Application {

		@Bean
		RateLimitRejectionHandler failing() {
			return (request, response, policy, decision) -> {
				throw new ServletException("for this test");
			};
		}

	}

	@RestController
	static class Controller {

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
