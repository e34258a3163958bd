package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that cut the body of a request while a handler, or a service that it calls,
 * reads it: what reads it fails, and they are charged what it has reserved.
 */
class ServletCutBodiesTests {

	private static final long ALL = 100;

	@AutoClose
	private static final TestServer server = TestServer.start(Handlers.class);

	@BeforeEach
	void reset() {
		server.limiter().policies().forEach((policy) -> policy.reset("all"));
	}

	@ParameterizedTest
	@CsvSource({ "/read, handler-read", "/called-read, service-read" })
	void whoeverCutsABodyPaysWhatItsCallHasReserved(String path, String name) throws IOException {
		RateLimiter policy = server.limiter().policy(name);
		for (int i = 0; i < 6; i++) {
			try (Socket socket = server.begin("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n"
					+ ((i < 3) ? "Content-Length: 20\r\n\r\n1" : "Transfer-Encoding: chunked\r\n\r\n2\r\n1\n\r\n"))) {
				TestServer.await(() -> policy.peek("all").remaining() == ALL - 10);
				switch (i % 3) {
					case 0 -> socket.setSoLinger(true, 0);
					case 1 -> {
						socket.shutdownOutput();
						socket.getInputStream().readAllBytes();
					}
					default -> {
					}
				}
			}
			server.awaitSettled(name);
			assertThat(policy.peek("all").remaining()).isEqualTo(ALL - 10);
			reset();
		}
	}

	@RestController
	@Import(Readers.class)
	static class Handlers {

		private final Readers readers;

		Handlers(Readers readers) {
			this.readers = readers;
		}

		@RateLimited(name = "handler-read", limit = ALL, window = "1d", key = "'all'", cost = "10",
				charge = "exception != null ? 0 : 1")
		@PostMapping("/read")
		public int read(InputStream body) throws IOException {
			return body.readAllBytes().length;
		}

		@PostMapping("/called-read")
		int calledRead(InputStream body) throws IOException {
			return this.readers.read(body);
		}

	}

	@Service
	static class Readers {

		@RateLimited(name = "service-read", limit = ALL, window = "1d", key = "'all'", cost = "10",
				charge = "exception != null ? 0 : 1")
		public int read(InputStream body) throws IOException {
			return body.readAllBytes().length;
		}

	}

}
