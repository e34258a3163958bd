package io.github.ratelimit.integration.webflux;

import java.security.Principal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls of handlers and services on Netty: whose request they belong to, and that what
 * was decided before a handler is called is not decided again.
 */
class ReactiveCallsTests {

	@AutoClose
	private static NettyServer server;

	@BeforeAll
	static void start() {
		server = NettyServer.start(Application.class,
				NettyServer.all(NettyServer.policy("shared", 5, "1d", "key=header('X-Client')"),
						NettyServer.policy("other", 1, "1d", "key=principal.name"),
						new String[] { "/shared -> shared" }));
	}

	@Test
	void handlerIsLimitedByItsArguments() {
		assertThat(Stream.of("a", "a", "b").map((id) -> server.status("/users/" + id))).containsExactly(200, 429, 200);
	}

	@Test
	void handlerThatIsDecidedBeforeItIsCalledPaysOnceThoughItHasAProxy() {
		for (String path : new String[] { "/proxied", "/proxied-flux", "/proxied-plain", "/proxied-future" }) {
			assertThat(server.get(path).headers().firstValue("RateLimit")).as(path).get().asString().contains(";r=1;");
			assertThat(server.status(path)).as(path).isEqualTo(200);
			assertThat(server.status(path)).as(path).isEqualTo(429);
		}
	}

	/* The rule and the service are one policy, and each call from the same place pays. */
	@Test
	void callBelongsToTheRequestOnWhateverThreadItIsSubscribedTo() {
		assertThat(server.get("/shared", "X-Client", "a").headers().firstValue("RateLimit")).get()
			.asString()
			.startsWith("\"shared\";r=4;");
		assertThat(server.get("/shared?calls=3", "X-Client", "b").headers().firstValue("RateLimit")).get()
			.asString()
			.startsWith("\"shared\";r=2;");
		assertThat(server.status("/shared?calls=6", "X-Client", "c")).isEqualTo(429);
	}

	@Test
	void userIsFetchedForTheCallThatReadsThem() {
		assertThat(server.status("/of-user", "X-User", "alice")).isEqualTo(200);
		assertThat(server.status("/of-user", "X-User", "alice")).isEqualTo(429);
		assertThat(server.status("/of-user", "X-User", "bob")).isEqualTo(200);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	@Import(Service.class)
	static class Application {

		private final Service service;

		Application(Service service) {
			this.service = service;
		}

		@GetMapping("/users/{id}")
		@RateLimited(limit = 1, window = "1d", key = "#id")
		public Mono<String> user(@PathVariable("id") String id) {
			return Mono.just(id);
		}

		@GetMapping("/proxied")
		@RateLimited(limit = 2, window = "1d")
		public Mono<String> proxied() {
			return Mono.just("a");
		}

		@GetMapping("/proxied-flux")
		@RateLimited(limit = 2, window = "1d")
		public Flux<String> proxiedFlux() {
			return Flux.just("a", "b");
		}

		@GetMapping("/proxied-plain")
		@RateLimited(limit = 2, window = "1d")
		public String proxiedPlain() {
			return "a";
		}

		@GetMapping("/proxied-future")
		@RateLimited(limit = 2, window = "1d")
		public CompletableFuture<String> proxiedFuture() {
			return CompletableFuture.completedFuture("a");
		}

		@GetMapping("/shared")
		public Mono<String> shared(ServerWebExchange exchange) {
			String calls = exchange.getRequest().getQueryParams().getFirst("calls");
			return this.service.shared()
				.subscribeOn(Schedulers.boundedElastic())
				.repeat((calls != null) ? Long.parseLong(calls) - 1 : 0)
				.last();
		}

		@GetMapping("/of-user")
		public Mono<String> ofUser() {
			return Mono.delay(Duration.ofMillis(1)).then(this.service.ofUser());
		}

		@Bean
		WebFilter users() {
			return (exchange, chain) -> {
				String user = exchange.getRequest().getHeaders().getFirst("X-User");
				return chain.filter((user == null) ? exchange : new ServerWebExchangeDecorator(exchange) {

					@Override
					@SuppressWarnings("unchecked")
					public <T extends Principal> Mono<T> getPrincipal() {
						return (Mono<T>) Mono.deferContextual((context) -> Mono.just((Principal) () -> user));
					}

				});
			};
		}

	}

	static class Service {

		@RateLimited("shared")
		public Mono<String> shared() {
			return Mono.just("a");
		}

		@RateLimited("other")
		public Mono<String> ofUser() {
			return Mono.just("a");
		}

	}

}
