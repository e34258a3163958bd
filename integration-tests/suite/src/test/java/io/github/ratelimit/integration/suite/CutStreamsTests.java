package io.github.ratelimit.integration.suite;

import java.time.Duration;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Clients that leave a stream, on a real server, at any moment and in several ways: what
 * it has used is in its last element, which they never read, and they are charged what it
 * has reserved. Who reads it to its end is charged what it has used.
 */
class CutStreamsTests {

	@AutoClose
	private static final TestServer server = TestServer.start(Application.class, CutStreams.POLICIES);

	private final CutStreams streams = new CutStreams(server, "handler", "rule");

	@BeforeEach
	void reset() {
		this.streams.reset();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/lines", "/events" })
	void whoeverLeavesAStreamPaysWhatItHasReserved(String path) {
		this.streams.cut(path, 30);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/short-lines", "/short-events" })
	void whoeverReadsAStreamToItsEndPaysWhatItHasUsed(String path) {
		this.streams.read(path, 7);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/called-lines", "/called-events" })
	void whoeverLeavesAStreamOfAServicePaysWhatItHasReserved(String path) {
		new CutStreams(server, "service", "rule").cut(path, 15);
	}

	@RestController
	@RateLimited(name = "handler", limit = CutStreams.ALL, window = "1d", key = "'all'", cost = "10",
			charge = "result ?: 0")
	@Import({ Callers.class, Streams.class })
	static class Application {

		@GetMapping(path = "/lines", produces = "application/x-ndjson")
		Flux<Long> lines() {
			return Streams.endless();
		}

		@GetMapping(path = "/events", produces = "text/event-stream")
		Flux<Long> events() {
			return Streams.endless();
		}

		@GetMapping(path = "/short-lines", produces = "application/x-ndjson")
		Flux<Long> shortLines() {
			return Flux.just(0L, 0L, 7L);
		}

		@GetMapping(path = "/short-events", produces = "text/event-stream")
		Flux<Long> shortEvents() {
			return shortLines();
		}

	}

	@RestController
	static class Callers {

		private final Streams streams;

		Callers(Streams streams) {
			this.streams = streams;
		}

		@GetMapping(path = "/called-lines", produces = "application/x-ndjson")
		Flux<Long> lines() {
			return this.streams.stream();
		}

		@GetMapping(path = "/called-events", produces = "text/event-stream")
		Flux<Long> events() {
			return this.streams.stream();
		}

	}

	@Service
	static class Streams {

		@RateLimited(name = "service", limit = CutStreams.ALL, window = "1d", key = "'all'", cost = "10",
				charge = "result ?: 0")
		public Flux<Long> stream() {
			return endless();
		}

		static Flux<Long> endless() {
			return Flux.interval(Duration.ofMillis(1)).onBackpressureDrop().map((number) -> 0L);
		}

	}

}
