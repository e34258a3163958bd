package io.github.ratelimit.testserver;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.annotation.RateLimited;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;

/**
 * Logins on Spring WebFlux that end in all ways. {@link ServletLogins} has the same
 * places.
 */
@Configuration(proxyBeanMethods = false)
@Import({ ReactiveLogins.Controller.class, ReactiveLogins.Pages.class, Logins.Checks.class, SecuredUsers.class })
public class ReactiveLogins {

	private static final Duration TIMEOUT = Duration.ofMillis(20);

	@Bean
	SecurityWebFilterChain security(ServerHttpSecurity http) {
		return http.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll())
			.formLogin(Customizer.withDefaults())
			.httpBasic(Customizer.withDefaults())
			.csrf((csrf) -> csrf.requireCsrfProtectionMatcher(ServerWebExchangeMatchers.pathMatchers("/login")))
			.build();
	}

	@Bean
	@Order(0)
	WebFilter methodOverride() {
		return (exchange, chain) -> {
			String method = exchange.getRequest().getHeaders().getFirst(Logins.METHOD_OVERRIDE);
			return chain.filter((method == null) ? exchange
					: exchange.mutate().request((request) -> request.method(HttpMethod.valueOf(method))).build());
		};
	}

	/* Shows a page for errors by dispatching the request once more. */
	@Bean
	@Order(0)
	WebFilter pages() {
		return (exchange, chain) -> chain.filter(exchange)
			.onErrorResume(PageException.class, (ex) -> chain.filter(page(exchange)));
	}

	@Bean
	@Order(-200)
	WebFilter outerPages() {
		return (exchange, chain) -> chain.filter(exchange)
			.onErrorResume(OuterPageException.class, (ex) -> chain.filter(page(exchange)));
	}

	private static ServerWebExchange page(ServerWebExchange exchange) {
		return exchange.mutate().request((request) -> request.method(HttpMethod.GET).path("/pages/wrong")).build();
	}

	private static Object end(String ending, boolean right, ServerWebExchange exchange) {
		return right ? Logins.end(ending, true) : switch (ending) {
			case "status-set" -> {
				exchange.getResponse().setStatusCode(HttpStatus.UNAUTHORIZED);
				yield "wrong";
			}
			case "dispatched" -> throw new PageException();
			case "dispatched-outside" -> throw new OuterPageException();
			case "timeout" -> Mono.never().timeout(TIMEOUT);
			default -> Logins.end(ending, false);
		};
	}

	/**
	 * Limits logins at each place.
	 */
	@RestController
	static class Controller extends Logins {

		private final Checks checks;

		Controller(Checks checks) {
			this.checks = checks;
		}

		@RateLimited("facts")
		@RateLimited(name = "handler", algorithm = SLIDING_WINDOW_LOG, limit = ATTEMPTS, window = "15m",
				key = "folded(parameter('username'))", charge = "authenticationFailed")
		@PostMapping("/handler/{ending}")
		Object handler(@PathVariable String ending, Credentials credentials, ServerWebExchange exchange) {
			return ReactiveLogins.end(ending, isRight(credentials), exchange);
		}

		@RateLimited(name = "argument", algorithm = SLIDING_WINDOW_LOG, limit = ATTEMPTS, window = "15m",
				key = "#credentials.username()", charge = "authenticationFailed")
		@PostMapping("/argument/{ending}")
		Mono<ResponseEntity<Object>> argument(@PathVariable String ending, Credentials credentials,
				ServerWebExchange exchange) {
			return Mono.defer(() -> later(ReactiveLogins.end(ending, isRight(credentials), exchange), exchange));
		}

		@PostMapping("/rule/{ending}")
		Object rule(@PathVariable String ending, Credentials credentials, ServerWebExchange exchange) {
			return ReactiveLogins.end(ending, isRight(credentials), exchange);
		}

		@PostMapping("/service/{ending}")
		Mono<ResponseEntity<Object>> service(@PathVariable String ending, Credentials credentials,
				ServerWebExchange exchange) {
			return this.checks.check(credentials)
				.onErrorReturn(WrongPasswordException.class, false)
				.flatMap((right) -> later(ReactiveLogins.end(ending, right, exchange), exchange));
		}

		private static Mono<ResponseEntity<Object>> later(Object result, ServerWebExchange exchange) {
			if (result instanceof Mono<?> mono) {
				return mono.map((answer) -> entity(answer, exchange));
			}
			if (result instanceof CompletableFuture<?> future) {
				return Mono.fromFuture(future).map((answer) -> entity(answer, exchange));
			}
			return Mono.just(entity(result, exchange));
		}

		@SuppressWarnings("unchecked")
		private static ResponseEntity<Object> entity(Object answer, ServerWebExchange exchange) {
			HttpStatusCode set = Objects.requireNonNullElse(exchange.getResponse().getStatusCode(), HttpStatus.OK);
			return (answer instanceof ResponseEntity<?> entity) ? (ResponseEntity<Object>) entity
					: ResponseEntity.status(set).body(answer);
		}

	}

	/**
	 * What is shown for errors.
	 */
	@RestController
	static class Pages {

		@RequestMapping("/pages/wrong")
		ResponseEntity<String> wrong() {
			return ResponseEntity.status(HttpStatus.UNAUTHORIZED).body("wrong");
		}

	}

	@SuppressWarnings("serial")
	private static final class PageException extends RuntimeException {

	}

	@SuppressWarnings("serial")
	private static final class OuterPageException extends RuntimeException {

	}

}
