package io.github.ratelimit.integration.jetty;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests to Jetty, which tells of their end before it shows an error page, are charged
 * by their outcome as on Tomcat.
 */
class JettyChargesTests {

	@ParameterizedTest
	@CsvSource({ "/fine, 200, 2", "/missing, 404, 4", "/failing, 500, 5", "/error-sent, 410, 4", "/callable, 200, 2",
			"/callable-fails, 500, 5", "/timeout, 503, 10" })
	void aRequestIsSettledOnce(String path, int status, long charged) throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"logging.level.root=off", "spring.mvc.async.request-timeout=300ms",
					"ratelimit.policies.status.limit=100", "ratelimit.policies.status.window=1d",
					"ratelimit.policies.status.key='all'", "ratelimit.policies.status.charge=status / 100",
					"ratelimit.rules[0].path=/**", "ratelimit.rules[0].policy=status", "ratelimit.rules[0].cost=10")
			.run()) {
			assertThat(get(context, path).statusCode()).isEqualTo(status);
			RateLimiter policy = context.getBean(RateLimiterRegistry.class).policy("status");
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> settled(policy) > 0);
			assertThat(policy.peek("all").remaining()).isEqualTo(100 - charged);
			assertThat(settled(policy)).isEqualTo(1);
		}
	}

	private static long settled(RateLimiter policy) {
		return Stream.of(RateLimitSettlement.values()).mapToLong(policy::settlements).sum();
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
		String port = context.getEnvironment().getRequiredProperty("local.server.port");
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
					HttpResponse.BodyHandlers.ofString());
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

	}

}
