package io.github.ratelimit.integration.webflux;

import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whoever has used up another limit, which a request meets only once a guess was checked,
 * guesses no faster: a wrong guess is paid for, though it is rejected.
 */
class ReactiveLateRejectionTests {

	@AutoClose
	private static NettyServer server;

	@BeforeAll
	static void start() {
		server = NettyServer.start(Application.class,
				NettyServer.all(NettyServer.policy("forwarded", 5, "1d", "key='all'"),
						NettyServer.policy("answered", 5, "1d", "key='all'"), NettyServer.policy("sorry", 1, "1d"),
						new String[] { "/forwarded -> forwarded", "/answered -> answered", "/sorry -> sorry" }));
		server.status("/sorry");
		server.status("/answered?guess=first");
	}

	@ParameterizedTest
	@ValueSource(strings = { "forwarded", "answered" })
	void aWrongGuessCountsThoughWhatAnswersItIsRejected(String policy) {
		RateLimiterRegistry policies = server.context().getBean(RateLimiterRegistry.class);
		policies.policy(policy).reset("all");
		for (int i = 1; i <= 5; i++) {
			assertThat(server.status("/" + policy + "?guess=wrong")).isEqualTo(429);
			assertThat(policies.peek(policy, "all").remaining()).isEqualTo(5 - i);
		}
		assertThat(server.get("/" + policy + "?guess=right").body()).contains("\"" + policy + "\"");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Guesses.class, Alerts.class })
	static class Application {

		/* As a gateway has, whose target answers. */
		@Bean
		SimpleUrlHandlerMapping targets() {
			WebHandler target = (exchange) -> {
				boolean isRight = exchange.getRequest().getURI().getQuery().equals("guess=right");
				exchange.getResponse().setStatusCode(isRight ? HttpStatus.OK : HttpStatus.NOT_FOUND);
				return Mono.empty();
			};
			return new SimpleUrlHandlerMapping(Map.of("/forwarded", target), -1);
		}

		@Bean
		WebFilter fallback(ObjectProvider<DispatcherHandler> dispatcher) {
			return (exchange, chain) -> chain.filter(exchange).then(Mono.defer(() -> {
				if (exchange.getResponse().getStatusCode() != HttpStatus.NOT_FOUND) {
					return Mono.empty();
				}
				return dispatcher.getObject()
					.handle(exchange.mutate().request((request) -> request.path("/sorry")).build());
			}));
		}

	}

	@RestController
	static class Guesses {

		private final Alerts alerts;

		Guesses(Alerts alerts) {
			this.alerts = alerts;
		}

		@GetMapping("/answered")
		Mono<String> answered(@RequestParam String guess) {
			return guess.equals("right") ? Mono.just("right") : Mono.error(new IllegalArgumentException("wrong"));
		}

		@GetMapping("/sorry")
		String sorry() {
			return "sorry";
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.UNAUTHORIZED)
		Mono<String> wrong(IllegalArgumentException ex) {
			return this.alerts.warn().thenReturn("wrong");
		}

	}

	static class Alerts {

		@RateLimited(limit = 1, window = "1d", key = "'all'")
		Mono<Void> warn() {
			return Mono.empty();
		}

	}

}
