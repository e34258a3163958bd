package io.github.ratelimit.integration.suite;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitThresholdEvent;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A policy that informs lets a request pass, and its handler and what that calls choose
 * what to do; and the application is told before a limit is reached.
 */
class InformingTests {

	private static TestServer start(String... more) {
		return TestServer.start(Application.class,
				TestServer.with(new String[] { "assistant: 2 per 1m; key='all'; mode=inform; warn-at=50%,100%",
						"strict: 4 per 1m; key='all'", "/ruled -> assistant", "/strict -> assistant",
						"/strict -> strict" }, more));
	}

	private static List<String> bodies(TestServer server, String path, int times) {
		return Stream.generate(() -> server.get(path).is(200, "Retry-After:").body()).limit(times).toList();
	}

	@Test
	void whatExceedsIsServedAndItsFieldsSaySo() {
		try (TestServer server = start()) {
			assertThat(server.get("/ruled").is(200).field("RateLimit")).isEqualTo("\"assistant\";r=1;t=30");
			assertThat(server.get("/ruled").is(200).body()).isEqualTo("best");
			for (int i = 0; i < 2; i++) {
				Answer exceeded = server.get("/ruled").is(200, "Retry-After:", "X-RateLimit-Retry-After:");
				assertThat(exceeded.body()).isEqualTo("cheap");
				assertThat(exceeded.field("RateLimit-Policy")).isEqualTo("\"assistant\";q=2;w=60");
				assertThat(exceeded.field("RateLimit")).startsWith("\"assistant\";r=0;t=");
				assertThat(exceeded.remaining()).isZero();
			}
			server.clock().advance(Duration.ofMinutes(1));
			assertThat(server.get("/ruled").body()).isEqualTo("best");
			assertThat(server.limiter().policy("assistant").count(RateLimitOutcome.EXCEEDED)).isEqualTo(2);
			assertThat(server.limiter().policy("assistant").count(RateLimitOutcome.REJECTED)).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/annotated", "/later?name=ada", "/service", "/later-service", "/unlimited-service" })
	void itsHandlerAndWhatThatCallsAsk(String path) {
		try (TestServer server = start()) {
			assertThat(bodies(server, path, 4)).containsExactly("best", "best", "cheap", "cheap");
		}
	}

	@Test
	void besideALimitThatIsEnforcedBothHold() {
		try (TestServer server = start()) {
			assertThat(bodies(server, "/strict", 4)).containsExactly("best", "best", "cheap", "cheap");
			Answer rejected = server.get("/strict").is(429);
			assertThat(rejected.field("Retry-After")).isNotNull();
			assertThat(server.limiter().policy("assistant").count(RateLimitOutcome.EXCEEDED)).isEqualTo(2);
		}
	}

	@Test
	void outsideOfARequestAnAnnotatedMethodAsks() {
		try (TestServer server = start()) {
			Services services = server.bean(Services.class);
			assertThat(List.of(services.answer(), services.answer(), services.answer())).containsExactly("best", "best",
					"cheap");
			assertThat(List.of(services.later().block(), services.later().block(), services.later().block()))
				.containsExactly("best", "best", "cheap");
			assertThat(services.unasked()).isEqualTo("best");
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(server.bean(Model.class)::choose)
				.withMessageContaining("on a thread that is in no method with @RateLimited");
		}
	}

	@Test
	void aRequestThatNothingLimitsIsNotExceeded() {
		try (TestServer server = start()) {
			assertThat(server.get("/free").is(200).tellsOfNoLimit().body()).isEqualTo("best");
		}
	}

	@Test
	void whereLimitsAreTurnedOffNothingIsExceeded() {
		try (TestServer server = TestServer.start(Application.class, "ratelimit.enabled=false")) {
			assertThat(bodies(server, "/ruled", 3)).containsOnly("best");
			assertThat(bodies(server, "/service", 3)).containsOnly("best");
		}
	}

	@Test
	void whileRedisIsGoneFailureModesSayWhatIsExceeded() {
		try (TestServer server = TestServer.startWithNeighbours(Application.class,
				"assistant: 2 per 1m; key='all'; mode=inform; on-failure=reject",
				"lenient: 2 per 1m; key='all'; mode=inform; on-failure=allow", "/ruled -> assistant",
				"ratelimit.store=redis", "spring.data.redis.port=1")) {
			Answer answer = server.get("/ruled").is(200, "Retry-After:").tellsOfNoLimit();
			assertThat(answer.body()).isEqualTo("cheap");
			assertThat(server.limiter().policy("assistant").count(RateLimitOutcome.UNAVAILABLE)).isEqualTo(1);
		}
	}

	@Test
	void theApplicationIsToldBeforeALimitIsReached() {
		try (TestServer server = start()) {
			Events events = server.bean(Events.class);
			for (int i = 0; i < 5; i++) {
				server.get("/ruled").is(200);
			}
			TestServer.await(() -> events.told.size() == 2);
			assertThat(events.told).extracting((event) -> event.policy().name() + " " + event.share())
				.containsExactly("assistant 50", "assistant 100");
			assertThat(events.told).extracting(RateLimitThresholdEvent::key).containsOnly("all");
		}
	}

	@Import({ Services.class, Model.class, Events.class })
	@RestController
	static class Application {

		private final Services services;

		Application(Services services) {
			this.services = services;
		}

		private static String choose(RateLimitInfo limits) {
			return limits.isExceeded() ? "cheap" : "best";
		}

		@GetMapping({ "/ruled", "/strict", "/free" })
		String ruled(RateLimitInfo limits) {
			return choose(limits);
		}

		@RateLimited(name = "annotated", limit = 2, window = "1m", key = "'all'", mode = RateLimitMode.INFORM)
		@GetMapping("/annotated")
		String annotated(RateLimitInfo limits) {
			return limits.isExceeded("annotated") ? "cheap" : "best";
		}

		@RateLimited(name = "later", limit = 2, window = "1m", key = "#name", mode = RateLimitMode.INFORM)
		@GetMapping("/later")
		Mono<String> later(@RequestParam String name, RateLimitInfo limits) {
			return Mono.fromSupplier(() -> choose(limits));
		}

		@GetMapping("/service")
		String service() {
			return this.services.answer();
		}

		@GetMapping("/later-service")
		Mono<String> laterService() {
			return this.services.later();
		}

		@RateLimited(name = "unlimited", limit = 2, window = "1m", key = "'all'", mode = RateLimitMode.INFORM)
		@GetMapping("/unlimited-service")
		String unlimitedService(RateLimitInfo limits) {
			return limits.exceeded().equals(List.of("unlimited")) ? "cheap" : this.services.unasked();
		}

	}

	@Service
	static class Services {

		private final Model model;

		Services(Model model) {
			this.model = model;
		}

		@RateLimited(name = "service", limit = 2, window = "1m", key = "'all'", mode = RateLimitMode.INFORM)
		String answer() {
			return this.model.choose();
		}

		@RateLimited(name = "later service", limit = 2, window = "1m", key = "'all'", mode = RateLimitMode.INFORM)
		Mono<String> later() {
			return Mono.just(this.model.choose());
		}

		@RateLimited(name = "unasked", limit = 1, window = "1m", condition = "false", mode = RateLimitMode.INFORM)
		String unasked() {
			return this.model.choose();
		}

	}

	@Service
	static class Model {

		private final RateLimitInfo limits;

		Model(RateLimitInfo limits) {
			this.limits = limits;
		}

		String choose() {
			return Application.choose(this.limits);
		}

	}

	static class Events {

		final ConcurrentLinkedQueue<RateLimitThresholdEvent> told = new ConcurrentLinkedQueue<>();

		@EventListener
		void add(RateLimitThresholdEvent event) {
			this.told.add(event);
		}

	}

}
