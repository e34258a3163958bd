package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.awaitility.Awaitility;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * An application on a real Tomcat, on the loopback interface, whose clock stands still.
 */
final class TestServer implements AutoCloseable {

	private static final String NO_SECURITY = "spring.autoconfigure.exclude="
			+ "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration";

	private static final Duration GENEROUS = Duration.ofSeconds(60);

	private static final Duration POLLS = Duration.ofMillis(5);

	private final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private TestServer(List<Class<?>> sources, String... properties) {
		List<String> all = new ArrayList<>(List.of("server.port=0", "server.address=127.0.0.1",
				"spring.main.banner-mode=off", "logging.level.root=warn"));
		all.addAll(List.of(properties));
		this.context = new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
			.properties(all.toArray(String[]::new))
			.run();
	}

	static TestServer start(Class<?> source, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add(NO_SECURITY);
		return new TestServer(List.of(Application.class, Clock.class, source), all.toArray(String[]::new));
	}

	static TestServer startSecured(Class<?> source, String... properties) {
		return new TestServer(List.of(Application.class, Clock.class, source), properties);
	}

	static TestServer startWithRunningClock(Class<?> source, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add(NO_SECURITY);
		return new TestServer(List.of(Application.class, source), all.toArray(String[]::new));
	}

	static TestServer startSecuredWithRunningClock(Class<?> source, String... properties) {
		return new TestServer(List.of(Application.class, source), properties);
	}

	ManualClock clock() {
		return this.context.getBean(ManualClock.class);
	}

	RateLimiterRegistry limiter() {
		return this.context.getBean(RateLimiterRegistry.class);
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	int port() {
		return Integer.parseInt(this.context.getEnvironment().getRequiredProperty("local.server.port"));
	}

	URI uri(String path) {
		return URI.create("http://127.0.0.1:" + port() + path);
	}

	HttpResponse<String> get(String path, String... headers) {
		return send("GET", path, "", headers);
	}

	HttpResponse<String> send(String method, String path, String body, String... headers) {
		return sendAsync(method, path, body, headers).join();
	}

	CompletableFuture<HttpResponse<String>> sendAsync(String method, String path, String body, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
			.version(HttpClient.Version.HTTP_1_1)
			.method(method,
					body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return this.client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	/**
	 * Sends a request whose parts no client library touches.
	 * @return the status line and the headers, in lower case, without the body
	 */
	String raw(String requestLine, String... headers) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
			StringBuilder request = new StringBuilder(requestLine)
				.append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
			for (String header : headers) {
				request.append(header).append("\r\n");
			}
			socket.getOutputStream().write(request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
			String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
			int end = response.indexOf("\r\n\r\n");
			return ((end >= 0) ? response.substring(0, end) : response).toLowerCase();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Waits until a policy has told so many requests to wait.
	 */
	void awaitDelayed(String policy, int count) {
		await(() -> limiter().policy(policy).count(RateLimitOutcome.DELAYED) >= count);
	}

	static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(GENEROUS).pollDelay(Duration.ZERO).pollInterval(POLLS).until(condition);
	}

	@Override
	public void close() {
		this.context.close();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	static class Clock {

		@Bean
		ManualClock clock() {
			return ManualClock.atMidnight();
		}

	}

}
