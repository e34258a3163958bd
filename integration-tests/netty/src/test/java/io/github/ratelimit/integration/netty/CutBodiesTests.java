package io.github.ratelimit.integration.netty;

import java.io.IOException;
import java.net.Socket;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that cut the body of a request of which a handler, or a service that it calls,
 * makes the answer. What is made of the body fails then as if the application had failed,
 * and they are charged what it has reserved.
 */
class CutBodiesTests {

	private static final long ALL = 100;

	@AutoClose
	private static final TestServer server = TestServer.start(Handlers.class,
			"rule: 100 per 1d; key='all'; charge=status >= 400 and status < 500", "/** -> rule; cost=10");

	@BeforeEach
	void reset() {
		server.limiter().policies().forEach((policy) -> policy.reset("all"));
	}

	@ParameterizedTest
	@CsvSource({ "/echo, handler-echo", "/sum, handler-sum", "/called-echo, service-echo", "/called-sum, service-sum" })
	void whoeverCutsABodyPaysWhatItsStreamHasReserved(String path, String name) throws IOException {
		RateLimiter policy = server.limiter().policy(name);
		for (int i = 0; i < 6; i++) {
			try (Socket socket = server.begin("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n"
					+ "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n1\n\r\n")) {
				TestServer.await(() -> policy.peek("all").remaining() == ALL - 10);
				if (i % 2 == 0) {
					socket.setSoLinger(true, 0);
				}
			}
			server.awaitSettled(name);
			assertThat(policy.peek("all").remaining()).isEqualTo(ALL - 10);
			server.awaitSettled("rule");
			assertThat(server.limiter().policy("rule").peek("all").remaining()).isEqualTo(ALL - 10);
			reset();
		}
	}

	@RestController
	@Import(Sums.class)
	static class Handlers {

		private final Sums sums;

		Handlers(Sums sums) {
			this.sums = sums;
		}

		@RateLimited(name = "handler-echo", limit = ALL, window = "1d", key = "'all'", cost = "10", chargeEach = "1")
		@PostMapping(path = "/echo", produces = "application/x-ndjson")
		public Flux<Integer> echo(@RequestBody Flux<Integer> body) {
			return body;
		}

		@RateLimited(name = "handler-sum", limit = ALL, window = "1d", key = "'all'", cost = "10",
				charge = "exception != null ? 0 : 1")
		@PostMapping("/sum")
		public Mono<Integer> sum(@RequestBody Flux<Integer> body) {
			return body.reduce(0, Integer::sum);
		}

		@PostMapping(path = "/called-echo", produces = "application/x-ndjson")
		Flux<Integer> calledEcho(@RequestBody Flux<Integer> body) {
			return this.sums.echo(body);
		}

		@PostMapping("/called-sum")
		Mono<Integer> calledSum(@RequestBody Flux<Integer> body) {
			return this.sums.sum(body);
		}

	}

	@Service
	static class Sums {

		@RateLimited(name = "service-echo", limit = ALL, window = "1d", key = "'all'", cost = "10", chargeEach = "1")
		public Flux<Integer> echo(Flux<Integer> body) {
			return body;
		}

		@RateLimited(name = "service-sum", limit = ALL, window = "1d", key = "'all'", cost = "10",
				charge = "exception != null ? 0 : 1")
		public Mono<Integer> sum(Flux<Integer> body) {
			return body.reduce(0, Integer::sum);
		}

	}

}
