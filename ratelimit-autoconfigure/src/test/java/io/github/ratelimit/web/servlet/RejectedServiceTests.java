package io.github.ratelimit.web.servlet;

import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request takes nothing if something that its handler calls is rejected, and that is
 * what the client is told.
 */
class RejectedServiceTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "ruled: 100 per 100h; key='all'", "handled: 10 per 10h; key='all'",
				"charged: 10 per 10h; key='all'; charge=status >= 400", "service: 1 per 1h; key='all'", "/** -> ruled");
	}

	@BeforeEach
	void forget() {
		server.forget();
		server.limiter().decide("service", "all");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/plain", "/later", "/answered" })
	void whatRulesAndHandlerTookGoesBack(String path) {
		Answer response = server.get(path);
		response.is(429);
		assertThat(remaining("ruled")).isEqualTo(100);
		assertThat(remaining("handled")).isEqualTo(10);
		assertThat(response.all("RateLimit")).hasSize(1)
			.first()
			.asString()
			.contains("\"ruled\";r=100", "\"handled\";r=10", "\"service\";r=0");
		assertThat(response.all("Retry-After")).containsExactly("3600");
	}

	@Test
	void whatIsChargedByItsOutcomeIsLeftToTheCharge() {
		server.get("/charged").is(429);
		assertThat(remaining("ruled")).isEqualTo(100);
		assertThat(remaining("charged")).isEqualTo(9);
	}

	@Test
	void aRejectionThatTheHandlerCatchesLeavesTheRequestItsPermits() {
		assertThat(server.get("/caught").body()).isEqualTo("nothing new");
		assertThat(remaining("ruled")).isEqualTo(99);
		assertThat(remaining("handled")).isEqualTo(9);
	}

	private static long remaining(String policy) {
		return server.limiter().peek(policy, "all").remaining();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Rest.class, Answering.class })
	static class Application {

		@Bean
		Service service() {
			return new Service();
		}

	}

	static class Service {

		@RateLimited("service")
		public String call() {
			return "called";
		}

	}

	@RestController
	static class Rest {

		private final Service service;

		Rest(Service service) {
			this.service = service;
		}

		@RateLimited("handled")
		@GetMapping("/plain")
		String plain() {
			return this.service.call();
		}

		@RateLimited("handled")
		@GetMapping("/later")
		Callable<String> later() {
			return this.service::call;
		}

		@RateLimited("charged")
		@GetMapping("/charged")
		String charged() {
			return this.service.call();
		}

		@RateLimited("handled")
		@GetMapping("/caught")
		String caught() {
			try {
				return this.service.call();
			}
			catch (RateLimitExceededException ex) {
				return "nothing new";
			}
		}

	}

	@RestController
	static class Answering {

		private final Service service;

		Answering(Service service) {
			this.service = service;
		}

		@RateLimited("handled")
		@GetMapping("/answered")
		String answered() {
			return this.service.call();
		}

		@ExceptionHandler
		ResponseEntity<String> rejected(RateLimitExceededException ex) {
			return ResponseEntity.status(429).body("rejected by " + ex.policy().name());
		}

	}

}
