package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests calls of handlers in a reactive web application. Only one that is subscribed to
 * is known to belong to a request.
 */
class ReactiveHandlerTests {

	@Test
	void callOfAHandlerThatReturnsAPlainValueIsLeftToWhatLimitsHandlers() {
		try (LimitedApplication<Handlers> application = start(Handlers.class)) {
			Handlers handlers = application.bean();
			for (int i = 0; i < 3; i++) {
				assertThat(handlers.plain()).isEqualTo("plain");
				assertThat(handlers.future().join()).isEqualTo("future");
			}
			assertThat(handlers.later("a").block()).isEqualTo("a");
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> handlers.later("a").block());
			assertThat(handlers.later("b").block()).isEqualTo("b");
		}
	}

	@Test
	void handlerWhoseCallCannotBeConnectedWithItsRequestFailsStartUp() {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> start(ReadsArguments.class))
			.withMessage(
					"@RateLimited on ReadsArguments.plain(String) reads arguments of a handler that returns neither a "
							+ "Mono nor a Flux, whose call nothing connects with its request in a reactive web application")
			.satisfies((ex) -> assertThat(ex.action()).contains("Return a Mono or a Flux", "pathVariable('id')"));
	}

	@Test
	void handlerWithAFallbackWhoseCallCannotBeConnectedWithItsRequestFailsStartUp() {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> start(FallsBack.class))
			.withMessageContaining(
					"@RateLimited on FallsBack.plain() has a fallback for a handler that returns neither a "
							+ "Mono nor a Flux")
			.satisfies((ex) -> assertThat(ex.action())
				.isEqualTo("Return a Mono or a Flux, or answer the rejection in an @ExceptionHandler."));
	}

	@Test
	void waitHasNoTimeOut() {
		try (LimitedApplication<Waits> application = start(Waits.class, "spring.mvc.async.request-timeout=1s")) {
			assertThat(application.bean().later("a").block(Duration.ofMinutes(1))).isEqualTo("a");
		}
	}

	private static <T> LimitedApplication<T> start(Class<T> type, String... properties) {
		return new LimitedApplication<>(type, List.of(new RateLimitHandlerAdapter()), properties);
	}

	/**
	 * It stands for the bean of its name.
	 */
	static class RateLimitHandlerAdapter {

	}

	@Controller
	static class Handlers {

		@GetMapping("/plain")
		@RateLimited(limit = 1, window = "1m", charge = "1")
		public String plain() {
			return "plain";
		}

		@GetMapping("/future")
		@RateLimited(limit = 1, window = "1m")
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("future");
		}

		@GetMapping("/later")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		public Mono<String> later(String user) {
			return Mono.just(user);
		}

	}

	@Controller
	static class FallsBack {

		@RateLimited(limit = 1, window = "1m", fallback = "cached")
		@GetMapping("/plain")
		String plain() {
			return cached();
		}

		String cached() {
			return "cached";
		}

	}

	@Controller
	static class ReadsArguments {

		@GetMapping("/plain")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		public String plain(String user) {
			return user;
		}

	}

	@Controller
	static class Waits {

		@GetMapping("/later")
		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 5, key = "#user")
		public Mono<String> later(String user) {
			return Mono.just(user);
		}

	}

}
