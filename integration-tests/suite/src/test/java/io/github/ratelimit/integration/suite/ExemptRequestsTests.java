package io.github.ratelimit.integration.suite;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nothing is worked out for requests of an exempt address.
 */
@Tag("stack")
class ExemptRequestsTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Controller.class, "ratelimit.client-address.trusted-proxies=127.0.0.0/8,::1",
				"ratelimit.exempt.addresses=203.0.113.7", "ruled: 1000 per 1h; key=@asked.key()",
				"planned: 1000 per 1h; key='all'; plan=@asked.key(); plans.pro.limit=5; plans.pro.window=1h",
				"/ruled -> ruled", "/planned -> planned");
	}

	@BeforeEach
	void forget() {
		server.bean(Asked.class).times.set(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled", "/planned", "/handler", "/argument/1", "/charged", "/service" })
	void noExpressionIsEvaluatedForAnExemptAddress(String path) {
		Asked asked = server.bean(Asked.class);
		server.get(path, "X-Forwarded-For", "203.0.113.7").is(200);
		assertThat(asked.times).hasValue(0);
		server.get(path, "X-Forwarded-For", "203.0.113.8").is(200);
		assertThat(asked.times).hasPositiveValue();
	}

	static class Asked {

		final AtomicInteger times = new AtomicInteger();

		public String key() {
			this.times.incrementAndGet();
			return "all";
		}

	}

	static class Service {

		@RateLimited(limit = 1000, window = "1h", key = "@asked.key()")
		public Mono<String> serve() {
			return Mono.just("served");
		}

	}

	@RestController
	@Import(Service.class)
	static class Controller {

		private final Service service;

		Controller(Service service) {
			this.service = service;
		}

		@GetMapping({ "/ruled", "/planned" })
		public Mono<String> ruled() {
			return Mono.just("ruled");
		}

		@RateLimited(limit = 1000, window = "1h", key = "@asked.key()")
		@GetMapping("/handler")
		public Mono<String> handler() {
			return Mono.just("handler");
		}

		@RateLimited(limit = 1000, window = "1h", key = "@asked.key() + #id")
		@GetMapping("/argument/{id}")
		public Mono<String> argument(@PathVariable int id) {
			return Mono.just("argument");
		}

		@RateLimited(limit = 1000, window = "1h", key = "@asked.key()", charge = "status == 200 ? 1 : 0")
		@GetMapping("/charged")
		public Mono<String> charged() {
			return Mono.just("charged");
		}

		@GetMapping("/service")
		public Mono<String> service() {
			return this.service.serve();
		}

		@Bean
		static Asked asked() {
			return new Asked();
		}

	}

}
