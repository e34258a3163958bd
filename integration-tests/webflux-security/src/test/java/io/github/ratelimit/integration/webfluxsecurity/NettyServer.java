package io.github.ratelimit.integration.webfluxsecurity;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.awaitility.Awaitility;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application on a real Netty, on the loopback interface.
 */
final class NettyServer implements AutoCloseable {

	static final String[] FORM = { "Content-Type", "application/x-www-form-urlencoded" };

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private final String port;

	private NettyServer(ConfigurableApplicationContext context, String port) {
		this.context = context;
		this.port = port;
	}

	static NettyServer start(Class<?> source, String... properties) {
		return new NettyServer(new SpringApplicationBuilder(source).web(WebApplicationType.REACTIVE)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"logging.level.root=warn")
			.properties(properties)
			.run(), "server");
	}

	/**
	 * The same application at another of its ports.
	 */
	NettyServer at(String port) {
		return new NettyServer(this.context, port);
	}

	static String[] with(String[] some, String... more) {
		return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	RateLimiterRegistry limiter() {
		return bean(RateLimiterRegistry.class);
	}

	/**
	 * Sends a form, as a browser does.
	 * @return the status
	 */
	int form(String path, String fields, String... headers) {
		return send("POST", path, fields, with(FORM, headers));
	}

	int send(String method, String path, String body, String... headers) {
		return sendAsync(method, path, body, headers).join().statusCode();
	}

	CompletableFuture<HttpResponse<String>> sendAsync(String method, String path, String body, String... headers) {
		String at = this.context.getEnvironment().getRequiredProperty("local." + this.port + ".port");
		URI uri = URI.create("http://127.0.0.1:" + at + path);
		HttpRequest.Builder request = HttpRequest.newBuilder(uri)
			.version(HttpClient.Version.HTTP_1_1)
			.timeout(Duration.ofMinutes(1))
			.method(method,
					body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return CLIENT.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	/**
	 * Waits until a policy has settled all that it has allowed and not refunded.
	 */
	void awaitSettled(String name) {
		RateLimiter policy = limiter().policy(name);
		await(() -> policy.count(RateLimitOutcome.ALLOWED) - policy.count(RateLimitOutcome.RETURNED) == Stream
			.of(RateLimitSettlement.values())
			.mapToLong(policy::settlements)
			.sum());
	}

	static void await(Callable<Boolean> condition) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.until(condition);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
