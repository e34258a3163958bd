package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A rejection after the request has gone asynchronous is an answer like any other, and no
 * error in the log.
 */
@ExtendWith(OutputCaptureExtension.class)
class AsyncRejectionTests {

	/* A pool's thread may outlive the server for a moment, of which Tomcat warns. */
	private static final String NO_WARNING_OF_THREADS = "logging.level.org.apache.catalina.loader=error";

	private static final String[] BEFORE_THE_RESPONSE = { "/callable", "/future", "/late-future", "/deferred", "/mono",
			"/early-emitter", "/stream", "/dispatched/" };

	private static final String[] IN_THE_RESPONSE = { "/emitter", "/flux", "/written" };

	@Test
	void aRejectionBeforeTheResponseIsAnsweredAndNoError(CapturedOutput output) {
		try (TestServer server = TestServer.start(Controller.class, NO_WARNING_OF_THREADS)) {
			server.get("/callable");
			for (String path : BEFORE_THE_RESPONSE) {
				Answer response = server.get(path);
				assertThat(response.status()).as(path).isEqualTo(429);
				assertThat(response.field("Retry-After")).as(path).isEqualTo("3600");
				assertThat(response.body()).as(path).contains("Helper.help");
			}
		}
		checkNothingIsLogged(output);
	}

	@Test
	void aRejectionInTheMiddleOfTheResponseEndsItAndIsNoError(CapturedOutput output) {
		try (TestServer server = TestServer.start(Controller.class, NO_WARNING_OF_THREADS)) {
			server.get("/callable");
			for (String path : IN_THE_RESPONSE) {
				assertThatExceptionOfType(CompletionException.class).as(path)
					.isThrownBy(() -> server.get(path))
					.withCauseInstanceOf(IOException.class);
			}
		}
		checkNothingIsLogged(output);
	}

	@Test
	void otherFailuresInTheMiddleOfTheResponseAreLoggedAsEver(CapturedOutput output) {
		// whatever level another test of this process has left to Tomcat
		try (TestServer server = TestServer.start(Controller.class, "logging.level.org.apache.catalina=error")) {
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> server.get("/failing"));
		}
		assertThat(output).contains("ERROR", "expected by the test");
	}

	/*
	 * Tomcat warns of threads that end later than its application.
	 */
	private static void checkNothingIsLogged(CapturedOutput output) {
		assertThat(output.toString().lines().filter((line) -> !line.contains("WebappClassLoaderBase")))
			.noneMatch((line) -> line.contains("ERROR") || line.contains("WARN"))
			.noneMatch((line) -> line.contains("RateLimitExceededException"));
	}

	@RestController
	@Import(Helper.class)
	static class Controller {

		private final Helper helper;

		Controller(Helper helper) {
			this.helper = helper;
		}

		@GetMapping("/{way}")
		@Nullable Object answer(@PathVariable String way, HttpServletResponse response) throws IOException {
			return switch (way) {
				case "callable" -> (Callable<String>) this.helper::help;
				case "future" -> CompletableFuture.supplyAsync(this.helper::help);
				case "late-future" ->
					CompletableFuture.supplyAsync(() -> "a").thenApply((a) -> this.helper.help()).thenApply((a) -> a);
				case "deferred" -> deferred();
				case "mono" -> Mono.fromCallable(this.helper::help);
				case "emitter" -> emitter();
				case "early-emitter" -> earlyEmitter();
				case "stream" -> (StreamingResponseBody) (out) -> this.helper.help();
				default -> {
					response.getOutputStream().print("begun");
					response.flushBuffer();
					if (way.equals("failing")) {
						throw new IllegalStateException("expected by the test");
					}
					yield this.helper.help();
				}
			};
		}

		@GetMapping(path = "/flux", produces = "text/event-stream")
		Flux<String> flux() {
			return Flux.concat(Flux.just("a"), Mono.fromCallable(this.helper::help));
		}

		private DeferredResult<String> deferred() {
			DeferredResult<String> result = new DeferredResult<>();
			new Thread(() -> {
				try {
					result.setResult(this.helper.help());
				}
				catch (RuntimeException ex) {
					result.setErrorResult(ex);
				}
			}).start();
			return result;
		}

		private ResponseBodyEmitter emitter() {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			new Thread(() -> {
				try {
					emitter.send("begun");
					emitter.send(this.helper.help());
					emitter.complete();
				}
				catch (IOException | RuntimeException ex) {
					emitter.completeWithError(ex);
				}
			}).start();
			return emitter;
		}

		private ResponseBodyEmitter earlyEmitter() {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			try {
				this.helper.help();
			}
			catch (RuntimeException ex) {
				emitter.completeWithError(ex);
			}
			return emitter;
		}

		@Bean
		static ServletRegistrationBean<?> dispatched(Helper helper) {
			return Registrations.servlet("/dispatched/*", (request, response) -> {
				if (request.getDispatcherType() == DispatcherType.ASYNC) {
					helper.help();
				}
				else {
					request.startAsync().dispatch();
				}
			});
		}

	}

	@Service
	static class Helper {

		@RateLimited(limit = 1, window = "1h", key = "'global'")
		public String help() {
			return "helped";
		}

	}

}
