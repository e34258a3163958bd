package io.github.ratelimit.integration.documentation.recipes.webflux;

import java.nio.file.Path;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.integration.documentation.Snippet;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import io.github.ratelimit.web.reactive.RateLimitRejectionHandler;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page about WebFlux, on a real server.
 */
public class WebFluxPageTests {

	/** The page. */
	public static final Path PATH = Snippet.ROOT.resolve("docs/webflux.md");

	@Test
	void limitsHold() {
		try (Recipe recipe = Recipe.startReactive(PATH, Application.class)) {
			assertThat(Stream.generate(() -> recipe.get("/hello")).limit(6)).startsWith(200).endsWith(200, 429);
			assertThat(Stream.generate(() -> recipe.get("/quotes/tea")).limit(3)).containsExactly(200, 200, 429);
		}
	}

	@Test
	void rejectionHandlerAnswers() {
		try (Recipe recipe = Recipe.startReactive(PATH, Application.class, Answer.class)) {
			assertThat(Stream.generate(() -> recipe.get("/quotes/tea")).limit(3)).containsExactly(200, 200, 503);
		}
	}

	@Test
	void policyIsAskedOnAThreadThatMayWait() {
		try (Recipe recipe = Recipe.startReactive(PATH, Application.class)) {
			RateLimiterRegistry rateLimiters = recipe.bean(RateLimiterRegistry.class);
			Mono<RateLimitDecision> decision = Mono.fromCallable(() -> rateLimiters.decide("quotes", "ada"))
				.subscribeOn(Schedulers.boundedElastic());
			assertThat(decision.block()).matches(RateLimitDecision::allowed);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(HelloController.class)
	static class Application {

		@Bean
		RouterFunction<ServerResponse> quotes() {
			return RouterFunctions.route()
				.GET("/quotes/{symbol}",
						(request) -> ServerResponse.ok().bodyValue("The price of " + request.pathVariable("symbol")))
				.build();
		}

		@Bean
		SecurityWebFilterChain open(ServerHttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Answer {

		@Bean
		RateLimitRejectionHandler rejectionHandler() {
			return (exchange, policy, decision) -> {
				exchange.getResponse().setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
				return exchange.getResponse().setComplete();
			};
		}

	}

}
