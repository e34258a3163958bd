package io.github.ratelimit.integration.webflux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * A reactive application on Netty.
 *
 * @param context the application
 * @param client calls it
 */
record NettyServer(ConfigurableApplicationContext context, HttpClient client) implements AutoCloseable {

	private static final Duration AT_MOST = Duration.ofMinutes(1);

	/**
	 * Starts an application.
	 * @param properties its properties; of {@code METHODS /pattern -> policy} a rule is
	 * made, in their order
	 */
	static NettyServer start(Class<?> application, String... properties) {
		String[] rules = Stream.of(properties).filter((each) -> each.contains(" -> ")).toArray(String[]::new);
		return new NettyServer(new SpringApplicationBuilder(application, Resources.class)
			.web(WebApplicationType.REACTIVE)
			.properties(Map.of("server.port", 0, "server.address", "127.0.0.1", "server.shutdown", "immediate",
					"spring.main.banner-mode", "off", "logging.level.root", "WARN"))
			.properties(Stream.of(properties).filter((each) -> !each.contains(" -> ")).toArray(String[]::new))
			.properties(
					IntStream.range(0, rules.length).boxed().flatMap((i) -> rule(i, rules[i])).toArray(String[]::new))
			.run(), HttpClient.newBuilder().connectTimeout(AT_MOST).build());
	}

	private static Stream<String> rule(int index, String text) {
		String[] parts = text.split(" -> ");
		String[] methodsAndPath = parts[0].split(" ");
		String rule = "ratelimit.rules[" + index + "].";
		Stream<String> methods = (methodsAndPath.length > 1) ? Stream.of(rule + "methods=" + methodsAndPath[0])
				: Stream.of();
		return Stream.concat(methods,
				Stream.of(rule + "path=" + methodsAndPath[methodsAndPath.length - 1], rule + "policy=" + parts[1]));
	}

	/**
	 * The properties of a policy with one limit.
	 */
	static String[] policy(String name, long limit, String window, String... more) {
		String policy = "ratelimit.policies." + name + ".";
		return Stream
			.concat(Stream.of(policy + "limit=" + limit, policy + "window=" + window),
					Stream.of(more).map(policy::concat))
			.toArray(String[]::new);
	}

	static String[] all(String[]... properties) {
		return Stream.of(properties).flatMap(Stream::of).toArray(String[]::new);
	}

	int port() {
		return this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	RateLimiter policy(String name) {
		RateLimiter policy = this.context.getBean(RateLimiterRegistry.class).find(name);
		if (policy == null) {
			throw new IllegalArgumentException(name);
		}
		return policy;
	}

	HttpResponse<String> get(String path, String... headers) {
		return send("GET", path, "", headers);
	}

	HttpResponse<String> send(String method, String path, String body, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
			.method(method,
					body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
			.timeout(AT_MOST);
		if (headers.length > 0) {
			request.headers(headers);
		}
		try {
			return this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	int status(String path, String... headers) {
		return get(path, headers).statusCode();
	}

	/**
	 * Opens a connection and sends the beginning of a request.
	 */
	Socket open(String request) throws IOException {
		Socket socket = new Socket("127.0.0.1", port());
		socket.setSoTimeout((int) AT_MOST.toMillis());
		socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
		socket.getOutputStream().flush();
		return socket;
	}

	@Override
	public void close() {
		this.context.close();
	}

	/* Of each application its own: whoever is closed first would close those of all. */
	@Configuration(proxyBeanMethods = false)
	static class Resources {

		@Bean
		ReactorResourceFactory reactorResourceFactory() {
			ReactorResourceFactory resources = new ReactorResourceFactory();
			resources.setUseGlobalResources(false);
			return resources;
		}

	}

}
