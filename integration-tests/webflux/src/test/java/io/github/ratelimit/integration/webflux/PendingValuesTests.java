package io.github.ratelimit.integration.webflux;

import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.annotation.RateLimited;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a reactive application has that is not there yet when a request is limited: a
 * body, a plan and what its beans return. Names of path variables that no path has are
 * found at start-up, too.
 */
class PendingValuesTests {

	@Test
	void aBodyThatIsNotThereYetIsAMistake() {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> start(BodyHandler.class))
			.withMessageEndingWith("uses '#order.customer', but a Mono has no value yet when the call is limited")
			.satisfies((ex) -> assertThat(ex.action()).contains("@RequestBody Order order in place of"));
	}

	@Test
	void aPathVariableThatNoPathOfAHandlerHasIsAMistake() {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> start(VariableHandler.class))
			.withMessageEndingWith("reads pathVariable('idd'), which the path '/p/{id}' does not have")
			.satisfies((ex) -> assertThat(ex.action()).startsWith("Did you mean 'id'?"));
	}

	@Test
	void whoHasAPlanThatARepositoryGivesLaterHasItsLimits() {
		try (NettyServer server = start(Application.class, "ratelimit.policies.api.limit=1",
				"ratelimit.policies.api.window=1d", "ratelimit.policies.api.key=header('X-Customer')",
				"ratelimit.policies.api.plan=@customers.planOf(header('X-Customer'))",
				"ratelimit.policies.api.plans.pro.limit=1000", "ratelimit.policies.api.plans.pro.window=1d",
				"/** -> api")) {
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(server.get("/", "X-Customer", "ann").headers().firstValue("X-RateLimit-Limit"))
							.contains("1000"));
			assertThat(server.status("/", "X-Customer", "bob")).isEqualTo(404);
			assertThat(server.status("/", "X-Customer", "bob")).isEqualTo(429);
			assertThat(server.status("/", "X-Customer", "ann")).isEqualTo(404);
		}
	}

	private static NettyServer start(Class<?> application, String... properties) {
		return NettyServer.start(application, properties);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Customers customers() {
			return new Customers();
		}

	}

	public static final class Customers {

		public Mono<String> planOf(String customer) {
			return Mono.just("pro").filter((plan) -> customer.equals("ann")).delayElement(Duration.ofMillis(1));
		}

	}

	record Order(String customer) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class BodyHandler {

		@PostMapping("/orders")
		@RateLimited(limit = 5, window = "1m", key = "#order.customer")
		public Mono<String> order(@RequestBody Mono<Order> order) {
			return order.map(Order::customer);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class VariableHandler {

		@GetMapping("/p/{id}")
		@RateLimited(limit = 5, window = "1m", key = "pathVariable('idd')")
		public Mono<String> get() {
			return Mono.just("p");
		}

	}

}
