package io.github.ratelimit.integration.jetty;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.eclipse.jetty.server.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Clients of Jetty see what clients of Tomcat see.
 */
class JettyResponsesTests {

	private static final Duration GENEROUS = Duration.ofSeconds(60);

	private final HttpClient client = HttpClient.newHttpClient();

	private ConfigurableApplicationContext context;

	@BeforeEach
	void start() {
		List<String> properties = new ArrayList<>(List.of("server.port=0", "server.address=127.0.0.1",
				"spring.main.banner-mode=off", "logging.level.root=off", "server.jetty.threads.max=12",
				"spring.lifecycle.timeout-per-shutdown-phase=1s"));
		policy(properties, "once", "token-bucket", 1, "1d", "");
		policy(properties, "soon", "leaky-bucket", 20, "1s", "20");
		policy(properties, "hour", "leaky-bucket", 1, "1h", "100");
		List<String> rules = List.of("/ruled", "once", "/fail", "once", "/servlet/ruled", "once", "/missing/**", "once",
				"/soon", "soon", "/servlet/soon", "soon", "/hour", "hour");
		for (int i = 0; i < rules.size() / 2; i++) {
			properties.add("ratelimit.rules[" + i + "].path=" + rules.get(2 * i));
			properties.add("ratelimit.rules[" + i + "].policy=" + rules.get(2 * i + 1));
		}
		this.context = new SpringApplicationBuilder(Application.class).properties(properties.toArray(String[]::new))
			.run();
	}

	private static void policy(List<String> properties, String name, String algorithm, long limit, String window,
			String burst) {
		String prefix = "ratelimit.policies." + name + ".limits[0].";
		properties
			.addAll(List.of(prefix + "algorithm=" + algorithm, prefix + "limit=" + limit, prefix + "window=" + window));
		if (!burst.isEmpty()) {
			properties.add(prefix + "burst=" + burst);
		}
	}

	@AfterEach
	void stop() {
		assertTimeoutPreemptively(GENEROUS, this.context::close);
	}

	@Test
	void tomcatIsNotThereButJettyIs() {
		assertThat(ClassUtils.isPresent("org.apache.catalina.connector.Response", getClass().getClassLoader()))
			.isFalse();
		assertThat(ClassUtils.isPresent(Response.class.getName(), getClass().getClassLoader())).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "/ruled, once", "/annotated, Handlers.annotated", "/servlet/ruled, once" })
	void headersAndRejectionsAreAsOnTomcat(String path, String policy) {
		HttpResponse<String> allowed = get(path);
		assertThat(allowed.statusCode()).isEqualTo(200);
		assertThat(allowed.headers().allValues("RateLimit-Policy")).containsExactly("\"" + policy + "\";q=1;w=86400");
		assertThat(allowed.headers().allValues("RateLimit")).containsExactly("\"" + policy + "\";r=0;t=86400");
		assertThat(allowed.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
		assertThat(allowed.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
		assertThat(allowed.headers().allValues("X-RateLimit-Reset")).containsExactly("86400");
		assertThat(allowed.headers().firstValue("Retry-After")).isEmpty();
		HttpResponse<String> rejected = get(path);
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().allValues("Content-Type")).containsExactly("application/problem+json");
		assertThat(rejected.headers().allValues("RateLimit")).hasSize(1);
		assertThat(rejected.headers().allValues("Retry-After")).hasSize(1);
		assertThat(rejected.headers().allValues("X-RateLimit-Retry-After")).hasSize(1);
		assertThat(rejected.body()).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
				"title":"Request cannot be satisfied as assigned quota has been exceeded",\
				"status":429,"violated-policies":["%s"]}""".formatted(policy));
	}

	@ParameterizedTest
	@CsvSource({ "/fail, 500", "/missing/1, 404" })
	void headersSurviveTheErrorDispatch(String path, int status) {
		HttpResponse<String> response = get(path);
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.headers().allValues("RateLimit")).containsExactly("\"once\";r=0;t=86400");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/soon", "/servlet/soon" })
	void aDelayedRequestIsAnsweredAfterItsWait(String path) {
		for (int i = 0; i < 3; i++) {
			HttpResponse<String> response = get(path);
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(response.body()).isEqualTo("soon");
			assertThat(response.headers().allValues("RateLimit")).hasSize(1);
		}
		assertThat(count("soon", RateLimitOutcome.DELAYED)).isEqualTo(2);
	}

	@Test
	void aDelayedAnnotatedHandlerIsAnsweredAfterItsWait() {
		assertThat(get("/annotated/soon").body()).isEqualTo("soon");
		assertThat(get("/annotated/soon").body()).isEqualTo("soon");
		assertThat(count("Handlers.annotatedSoon", RateLimitOutcome.DELAYED)).isEqualTo(1);
	}

	@Test
	void waitingRequestsHoldNoThreadAndAreAnsweredWhenTheServerStops() {
		assertThat(get("/hour").statusCode()).isEqualTo(200);
		List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			waiting.add(send("/hour"));
		}
		await(() -> count("hour", RateLimitOutcome.DELAYED) == 50);
		assertTimeoutPreemptively(GENEROUS, () -> assertThat(get("/free").body()).isEqualTo("free"));
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		stop();
		assertThat(waiting).allMatch((request) -> request.join().statusCode() == 503);
	}

	private long count(String policy, RateLimitOutcome outcome) {
		return this.context.getBean(RateLimiterRegistry.class).policy(policy).count(outcome);
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(GENEROUS).until(condition);
	}

	private HttpResponse<String> get(String path) {
		return send(path).join();
	}

	private CompletableFuture<HttpResponse<String>> send(String path) {
		String port = this.context.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
			.version(HttpClient.Version.HTTP_1_1)
			.build();
		return this.client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		/* It stands still, so that it does not matter how long a request takes. */
		@Bean
		RateLimitClock clock() {
			return () -> Duration.ofHours(1).toNanos();
		}

		@Bean
		ServletRegistrationBean<HttpServlet> servlet() {
			ServletRegistrationBean<HttpServlet> registration = new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
					response.getWriter().write(request.getPathInfo().substring(1));
				}

			}, "/servlet/*");
			registration.setName("servlet");
			return registration;
		}

		@RestController
		static class Handlers {

			@GetMapping({ "/ruled", "/free", "/hour" })
			String free() {
				return "free";
			}

			@GetMapping("/fail")
			String fail() {
				throw new IllegalStateException("expected by the test");
			}

			@GetMapping("/soon")
			String soon() {
				return "soon";
			}

			@GetMapping("/annotated")
			@RateLimited(limit = 1, window = "1d")
			public String annotated() {
				return "annotated";
			}

			@GetMapping("/annotated/soon")
			@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 20, window = "1s", burst = 5)
			public String annotatedSoon() {
				return "soon";
			}

		}

	}

}
