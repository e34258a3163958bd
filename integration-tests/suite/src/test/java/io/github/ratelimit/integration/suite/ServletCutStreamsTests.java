package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Clients that leave what only the servlet API streams, as in {@link CutStreamsTests}.
 */
class ServletCutStreamsTests {

	@AutoClose
	private static final TestServer server = TestServer.start(Application.class, CutStreams.POLICIES);

	private final CutStreams streams = new CutStreams(server, "handler", "rule");

	@BeforeEach
	void reset() {
		this.streams.reset();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "/events-completed", "/events-failed", "/emitter", "/body", "/task", "/stream", "/writer" })
	void whoeverLeavesAStreamPaysWhatItHasReserved(String path) {
		this.streams.cut(path, 15);
	}

	@Test
	void whoeverLeavesAStreamThatItsApplicationDoesNotEndPaysWhatItHasReserved() {
		assumeFalse(Difference.ONLY_THE_APPLICATION_ENDS_A_STREAM.here());
		this.streams.cut("/events", 15);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/short-events", "/short-body" })
	void whoeverReadsAStreamToItsEndPaysWhatItHasUsed(String path) {
		this.streams.read(path, 1);
	}

	@RestController
	@RateLimited(name = "handler", limit = CutStreams.ALL, window = "1d", key = "'all'", cost = "10",
			charge = "exception != null ? 0 : 1")
	static class Application {

		private static final byte[] LINE = "data: 0123456789\n\n".getBytes(StandardCharsets.US_ASCII);

		@GetMapping("/{way}")
		@Nullable Object stream(@PathVariable String way, HttpServletResponse response) throws IOException {
			return switch (way) {
				case "events" -> endless(new SseEmitter(0L), (emitter, failure) -> {
				});
				case "events-completed" -> endless(new SseEmitter(0L), (emitter, failure) -> emitter.complete());
				case "events-failed" -> endless(new SseEmitter(0L), ResponseBodyEmitter::completeWithError);
				case "emitter" -> endless(new ResponseBodyEmitter(0L), ResponseBodyEmitter::completeWithError);
				case "body" -> (StreamingResponseBody) Application::write;
				case "task" -> (Callable<?>) () -> {
					write(response.getOutputStream());
					return null;
				};
				case "stream" -> {
					write(response.getOutputStream());
					yield null;
				}
				case "writer" -> {
					write(response.getWriter());
					yield null;
				}
				case "short-events" -> shortEvents();
				case "short-body" -> (StreamingResponseBody) (body) -> body.write(LINE);
				default -> throw new IllegalArgumentException(way);
			};
		}

		private static ResponseBodyEmitter endless(ResponseBodyEmitter emitter,
				BiConsumer<ResponseBodyEmitter, Exception> failed) {
			new Thread(() -> {
				try {
					while (true) {
						emitter.send("0123456789\n");
					}
				}
				catch (IOException | RuntimeException ex) {
					failed.accept(emitter, ex);
				}
			}).start();
			return emitter;
		}

		private static SseEmitter shortEvents() {
			SseEmitter emitter = new SseEmitter(0L);
			new Thread(() -> {
				try {
					emitter.send("one");
					emitter.complete();
				}
				catch (IOException ex) {
					emitter.completeWithError(ex);
				}
			}).start();
			return emitter;
		}

		private static void write(OutputStream body) throws IOException {
			while (true) {
				body.write(LINE);
				body.flush();
			}
		}

		private static void write(PrintWriter body) {
			while (!body.checkError()) {
				body.print("0123456789\n");
			}
		}

	}

}
