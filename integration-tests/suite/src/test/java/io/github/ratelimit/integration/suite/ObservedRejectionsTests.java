package io.github.ratelimit.integration.suite;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Bean;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The trace of a request that is rejected says by which policy, and why, wherever it is
 * rejected; metrics of requests keep their tags.
 */
@Tag("stack")
class ObservedRejectionsTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startWithNeighbours(Application.class, "one: 1 per 1h",
				"banning: 1 per 1h; ban.after=1; ban.for=1h", "/ruled -> one", "/banned -> banning");
	}

	@BeforeEach
	void forget() {
		server.forget();
		observed().clear();
	}

	private static Queue<Observation.Context> observed() {
		return server.bean(Observed.class).contexts;
	}

	@ParameterizedTest
	@CsvSource({ "/ruled, one, rejected, 429", "/annotated, annotated, rejected, 429", "/banned, banning, banned, 429",
			"/handled, handled, rejected, 418" })
	void aRejectionIsNamedByPolicyAndOutcome(String path, String policy, String outcome, int status) {
		server.get(path).is(200);
		server.get(path);
		server.get(path).is(status);
		TestServer.await(() -> observed().size() == 3);
		List<Observation.Context> contexts = List.copyOf(observed());
		assertThat(contexts.get(0).getHighCardinalityKeyValue("ratelimit.policy")).isNull();
		assertThat(contexts.get(2).getHighCardinalityKeyValue("ratelimit.policy").getValue()).isEqualTo(policy);
		assertThat(contexts.get(2).getHighCardinalityKeyValue("ratelimit.outcome").getValue()).isEqualTo(outcome);
	}

	@Test
	void requestsHaveTheSameTagsWhateverBecomesOfThem() {
		server.get("/ruled").is(200);
		server.get("/ruled").is(429);
		TestServer.await(() -> observed().size() == 2);
		assertThat(observed())
			.allSatisfy((context) -> assertThat(context.getLowCardinalityKeyValues()).extracting(KeyValue::getKey)
				.noneMatch((key) -> key.startsWith("ratelimit")));
		Set<List<String>> tags = server.bean(MeterRegistry.class)
			.find("http.server.requests")
			.timers()
			.stream()
			.map((timer) -> timer.getId().getTags().stream().map((tag) -> tag.getKey()).toList())
			.collect(Collectors.toSet());
		assertThat(tags).hasSize(1);
	}

	@RestController
	static class Application {

		@Bean
		Observed observed() {
			return new Observed();
		}

		@GetMapping({ "/ruled", "/banned" })
		String ruled() {
			return "ruled";
		}

		@RateLimited(name = "annotated", limit = 1, window = "1h")
		@GetMapping("/annotated")
		String annotated() {
			return "annotated";
		}

		@RestController
		static class Handling {

			@RateLimited(name = "handled", limit = 1, window = "1h")
			@GetMapping("/handled")
			String handled() {
				return "handled";
			}

			@ExceptionHandler
			ResponseEntity<String> handle(RateLimitExceededException rejection) {
				return ResponseEntity.status(418).body(rejection.policy().name());
			}

		}

	}

	/**
	 * Keeps the observations of requests that have ended. They have no name before they
	 * begin.
	 */
	static class Observed implements ObservationHandler<Observation.Context> {

		private final Queue<Observation.Context> contexts = new ConcurrentLinkedQueue<>();

		@Override
		public void onStop(Observation.Context context) {
			if ("http.server.requests".equals(context.getName())) {
				this.contexts.add(context);
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
