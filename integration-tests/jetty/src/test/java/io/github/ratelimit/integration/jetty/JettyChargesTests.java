package io.github.ratelimit.integration.jetty;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests to Jetty, which tells of their end before it shows an error page, are charged
 * by their outcome as on Tomcat.
 */
class JettyChargesTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@ParameterizedTest
	@CsvSource({ "/fine, 200, 2", "/missing, 404, 4", "/failing, 500, 5", "/error-sent, 410, 4", "/callable, 200, 2",
			"/callable-fails, 500, 5", "/timeout, 503, 10" })
	void aRequestIsSettledOnce(String path, int status, long charged) throws Exception {
		try (ConfigurableApplicationContext context = start("status / 100")) {
			assertThat(get(context, path).statusCode()).isEqualTo(status);
			assertThat(remainingOnceSettled(context)).isEqualTo(100 - charged);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/pending", "/pending-raw" })
	void whatIsNotDoneWhenItsStreamIsResetStaysReserved(String path) throws Exception {
		try (ConfigurableApplicationContext context = start("status / 100")) {
			HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
			assertThat(client.send(request(context, "/fine"), HttpResponse.BodyHandlers.ofString()).version())
				.isEqualTo(HttpClient.Version.HTTP_2);
			remainingOnceSettled(context);
			RateLimiter policy = context.getBean(RateLimiterRegistry.class).policy("status");
			policy.reset("all");
			CompletableFuture<?> gone = client.sendAsync(request(context, path), HttpResponse.BodyHandlers.ofString());
			Awaitility.await().atMost(LONG).until(() -> policy.peek("all").remaining() == 90);
			gone.cancel(true);
			Awaitility.await().atMost(LONG).until(() -> settled(policy) == 2);
			assertThat(policy.peek("all").remaining()).isEqualTo(90);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/large", "/large-streamed", "/large-raw" })
	void anAnswerThatIsNotReadToItsEndDidNotFail(String path) throws Exception {
		try (ConfigurableApplicationContext context = start("exception != null ? 1 : status / 100")) {
			try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(context))) {
				socket.setSoLinger(true, 0);
				socket.getOutputStream()
					.write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
						.getBytes(StandardCharsets.ISO_8859_1));
				socket.getInputStream().readNBytes(15_000_000);
			}
			assertThat(remainingOnceSettled(context)).isEqualTo(98);
		}
	}

	private static ConfigurableApplicationContext start(String charge) {
		return new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "server.http2.enabled=true",
					"spring.main.banner-mode=off", "logging.level.root=off", "spring.mvc.async.request-timeout=300ms",
					"ratelimit.policies.status.limit=100", "ratelimit.policies.status.window=1d",
					"ratelimit.policies.status.key='all'", "ratelimit.policies.status.charge=" + charge,
					"ratelimit.rules[0].path=/**", "ratelimit.rules[0].policy=status", "ratelimit.rules[0].cost=10")
			.run();
	}

	private static long remainingOnceSettled(ConfigurableApplicationContext context) {
		RateLimiter policy = context.getBean(RateLimiterRegistry.class).policy("status");
		Awaitility.await().atMost(LONG).until(() -> settled(policy) > 0);
		assertThat(settled(policy)).isEqualTo(1);
		return policy.peek("all").remaining();
	}

	private static long settled(RateLimiter policy) {
		return Stream.of(RateLimitSettlement.values()).mapToLong(policy::settlements).sum();
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
		return HttpClient.newHttpClient().send(request(context, path), HttpResponse.BodyHandlers.ofString());
	}

	private static HttpRequest request(ConfigurableApplicationContext context, String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(context) + path)).build();
	}

	private static int port(ConfigurableApplicationContext context) {
		return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class Application {

	}

	@RestController
	static class Handlers {

		@GetMapping("/fine")
		String fine() {
			return "fine";
		}

		@GetMapping("/missing")
		String missing() {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND);
		}

		@GetMapping("/failing")
		String failing() {
			throw new UnsupportedOperationException("as asked");
		}

		@GetMapping("/error-sent")
		void error(HttpServletResponse response) throws Exception {
			response.sendError(410);
		}

		@GetMapping("/callable")
		Callable<String> callable() {
			return () -> "callable";
		}

		@GetMapping("/callable-fails")
		Callable<String> callableFails() {
			return () -> {
				throw new UnsupportedOperationException("as asked");
			};
		}

		@GetMapping("/timeout")
		DeferredResult<String> timeout() {
			return new DeferredResult<>();
		}

		@GetMapping("/pending")
		DeferredResult<String> pending() {
			return new DeferredResult<>(0L);
		}

		@GetMapping("/pending-raw")
		void pendingRaw(HttpServletRequest request) {
			request.startAsync().setTimeout(0);
		}

		@GetMapping("/large")
		byte[] large() {
			return new byte[20_000_000];
		}

		@GetMapping("/large-streamed")
		StreamingResponseBody largeStreamed() {
			return (body) -> body.write(large());
		}

		@GetMapping("/large-raw")
		void largeRaw(HttpServletResponse response) throws Exception {
			response.getOutputStream().write(large());
		}

	}

}
