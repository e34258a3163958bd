package io.github.ratelimit.testserver;

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
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ReactorResourceFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application on the real server that is on the class path, on the loopback interface,
 * whose clock stands still; and a client of it.
 */
public final class TestServer implements AutoCloseable {

	private static final List<String> SECURITY = autoConfigurations(
			"org\\.springframework\\.boot\\.security\\.autoconfigure\\..*(Web|SecurityFilter|UserDetails).*");

	/*
	 * What no request meets on its way. It makes up most of the time that a start takes.
	 */
	private static final List<String> NEIGHBOURS = autoConfigurations(
			"org\\.springframework\\.boot\\.(actuate|data|graphql|health|micrometer\\.metrics|netty|persistence|transaction)\\..*");

	private static final List<String> STORES = autoConfigurations("org\\.springframework\\.boot\\.data\\..*");

	private static final Pattern POLICY = Pattern.compile("([^;=/]+): (\\d+) per (\\w+)((?:; .+)?)");

	private static final Pattern RULE = Pattern.compile("(/\\S*) -> ([^;]+)((?:; .+)?)");

	private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)");

	private static final Duration GENEROUS = Duration.ofSeconds(60);

	/*
	 * Up to Spring Boot 4.1.1 a graceful stop of Netty may never end: NettyWebServer.stop
	 * looks whether it has begun when it is over already.
	 */
	private static final String IMMEDIATELY = "server.shutdown=immediate";

	/** Lets requests end when the server stops. */
	public static final String GRACEFULLY = "server.shutdown=graceful";

	private static final long WEEK = Duration.ofDays(7).toNanos();

	/* As Tomcat is configured by itself. */
	private static final int MAX_ON_A_CONNECTION = 100;

	private static final Duration POLLS = Duration.ofMillis(5);

	private static final HttpClient CLIENT = client();

	private final ConfigurableApplicationContext context;

	/* What answers requests: the application's own server, or that of its actuator. */
	private final String server;

	/* Whether something was awaited that has never come, so that nothing else will. */
	private volatile boolean stuck;

	private TestServer(ConfigurableApplicationContext context, String server) {
		this.context = context;
		this.server = server;
	}

	private TestServer(List<Class<?>> sources, List<String> excluded, String... properties) {
		List<String> all = new ArrayList<>(
				List.of("server.port=0", "server.address=127.0.0.1", IMMEDIATELY, "spring.main.banner-mode=off",
						"logging.level.root=warn", "spring.autoconfigure.exclude=" + String.join(",", excluded)));
		all.addAll(inFull(properties));
		this.server = "server";
		this.context = new SpringApplicationBuilder(Application.class, Clock.class, OwnNetty.class)
			.sources(sources.toArray(Class<?>[]::new))
			.properties(all.toArray(String[]::new))
			.run();
	}

	/*
	 * Limits may be written in short: "login: 5 per 15m; key='all'" is a policy, and
	 * "/login -> login; methods=POST" the next rule.
	 */
	private static List<String> inFull(String... properties) {
		List<String> all = new ArrayList<>();
		int rules = 0;
		for (String each : properties) {
			Matcher policy = POLICY.matcher(each);
			Matcher rule = RULE.matcher(each);
			if (policy.matches()) {
				addAll(all, "ratelimit.policies." + policy.group(1) + ".", "limit=" + policy.group(2),
						"window=" + policy.group(3), policy.group(4));
			}
			else if (rule.matches()) {
				addAll(all, "ratelimit.rules[" + rules++ + "].", "path=" + rule.group(1), "policy=" + rule.group(2),
						rule.group(3));
			}
			else {
				all.add(each);
			}
		}
		return all;
	}

	private static void addAll(List<String> all, String prefix, String first, String second, String others) {
		Stream.of((first + "; " + second + others).split("; ")).forEach((property) -> all.add(prefix + property));
	}

	/*
	 * Jetty closes the connection of a form that it cannot parse without saying so, and
	 * the client learns of it when it sends the next request there.
	 */
	private static HttpClient client() {
		System.setProperty("jdk.httpclient.enableAllMethodRetry", "true");
		return HttpClient.newHttpClient();
	}

	private static List<String> autoConfigurations(String pattern) {
		return ImportCandidates.load(AutoConfiguration.class, TestServer.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.matches(pattern))
			.toList();
	}

	public static TestServer start(Class<?> source, String... properties) {
		return start(List.of(source), properties);
	}

	public static TestServer start(List<Class<?>> sources, String... properties) {
		return new TestServer(sources, all(SECURITY, NEIGHBOURS), properties);
	}

	/**
	 * Starts an application with metrics, with the actuator and with a client of Redis.
	 */
	public static TestServer startWithNeighbours(Class<?> source, String... properties) {
		return new TestServer(List.of(source), SECURITY, properties);
	}

	public static TestServer startSecured(Class<?> source, String... properties) {
		return startSecured(List.of(source), properties);
	}

	public static TestServer startSecured(List<Class<?>> sources, String... properties) {
		return new TestServer(sources, NEIGHBOURS, properties);
	}

	/**
	 * Starts an application with Spring Security and the actuator on a port of its own.
	 */
	public static TestServer startDivided(List<Class<?>> sources, String... properties) {
		return new TestServer(sources, STORES,
				with(properties, "management.server.port=0", "management.server.address=127.0.0.1"));
	}

	/**
	 * The same application, as it answers on the actuator's own port.
	 */
	public TestServer management() {
		return new TestServer(this.context, "management");
	}

	private static List<String> all(List<String> some, List<String> others) {
		return Stream.concat(some.stream(), others.stream()).toList();
	}

	public ManualClock clock() {
		return this.context.getBean(ManualClock.class);
	}

	/**
	 * Lets so much time pass that no limit knows anything of what was before, for tests
	 * that share a server. Windows begin as they did for the test before.
	 */
	public void forget() {
		clock().advanceNanos(143 * WEEK + Math.floorMod(-clock().nanos(), WEEK));
	}

	public RateLimiterRegistry limiter() {
		return this.context.getBean(RateLimiterRegistry.class);
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	public int port() {
		return Integer.parseInt(this.context.getEnvironment().getRequiredProperty("local." + this.server + ".port"));
	}

	public URI uri(String path) {
		return URI.create("http://127.0.0.1:" + port() + path);
	}

	public static String[] with(String[] properties, String... more) {
		return Stream.concat(Stream.of(properties), Stream.of(more)).toArray(String[]::new);
	}

	/**
	 * Sends a request of a user, whose password is {@code secret}.
	 */
	public Answer getAs(String user, String path, String... headers) {
		return get(path, with(new String[] { "Authorization", basic(user, "secret") }, headers));
	}

	public static String basic(String user, String password) {
		return "Basic "
				+ Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.US_ASCII));
	}

	/**
	 * Sends a form, as a browser does.
	 */
	public Answer form(String path, String fields, String... headers) {
		return send("POST", path, fields,
				with(new String[] { "Content-Type", "application/x-www-form-urlencoded" }, headers));
	}

	public Answer get(String path, String... headers) {
		return send("GET", path, "", headers);
	}

	/**
	 * Sends a request to a server that was not started here.
	 */
	public static Answer get(int port, String path) {
		return sendAsync(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))).join();
	}

	public Answer send(String method, String path, String body, String... headers) {
		return sendAsync(method, path, body, headers).orTimeout(GENEROUS.toSeconds(), TimeUnit.SECONDS).join();
	}

	public CompletableFuture<Answer> sendAsync(String method, String path, String body, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
			.version(HttpClient.Version.HTTP_1_1)
			.method(method,
					body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return sendAsync(request);
	}

	private static CompletableFuture<Answer> sendAsync(HttpRequest.Builder request) {
		return CLIENT.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString()).thenApply(Answer::of);
	}

	/**
	 * Sends a request whose parts no client library touches.
	 * @return the status line and the headers, in lower case, without the body
	 */
	public String raw(String requestLine, String... headers) {
		StringBuilder request = new StringBuilder(requestLine)
			.append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
		for (String header : headers) {
			request.append(header).append("\r\n");
		}
		String response = exchange(request.append("\r\n").toString());
		int end = response.indexOf("\r\n\r\n");
		return ((end >= 0) ? response.substring(0, end) : response).toLowerCase();
	}

	/**
	 * Sends the same request many times, one after the other and without waiting for each
	 * response, and returns when the server has done with all.
	 */
	public void getTimes(int times, String path, String... headers) {
		String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n";
		for (int i = 0; i < headers.length; i += 2) {
			request += headers[i] + ": " + headers[i + 1] + "\r\n";
		}
		for (int left = times; left > 0; left -= MAX_ON_A_CONNECTION) {
			int batch = Math.min(left, MAX_ON_A_CONNECTION);
			String responses = exchange((request + "\r\n").repeat(batch - 1) + request + "Connection: close\r\n\r\n");
			assertThat(responses.split("HTTP/1\\.1 [1-5]", -1)).hasSize(batch + 1);
		}
	}

	/**
	 * Sends what may be only the beginning of a request.
	 */
	public Socket begin(String request) throws IOException {
		Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
		socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
		return socket;
	}

	/**
	 * Reads the head of a response, and passes over a body whose length is told.
	 */
	public static String head(Socket socket) throws IOException {
		socket.setSoTimeout((int) GENEROUS.toMillis());
		StringBuilder head = new StringBuilder();
		while (head.indexOf("\r\n\r\n") < 0) {
			int next = socket.getInputStream().read();
			if (next < 0) {
				return head.toString();
			}
			head.append((char) next);
		}
		Matcher length = LENGTH.matcher(head);
		if (length.find()) {
			socket.getInputStream().readNBytes(Integer.parseInt(length.group(1)));
		}
		return head.toString();
	}

	/**
	 * Sends requests, the last of which closes the connection, and reads what is
	 * answered.
	 */
	public String exchange(String requests) {
		try (Socket socket = begin(requests)) {
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Waits until a policy has told so many requests to wait.
	 */
	public void awaitDelayed(String policy, int count) {
		awaitOf(limiter().policy(policy), (limiter) -> limiter.count(RateLimitOutcome.DELAYED) >= count);
	}

	/**
	 * Waits until a policy has settled all that it has allowed and not refunded.
	 */
	public void awaitSettled(String name) {
		awaitOf(limiter().policy(name), (policy) -> policy.count(RateLimitOutcome.ALLOWED)
				- policy.count(RateLimitOutcome.RETURNED) == settled(policy));
	}

	/*
	 * Tests that share a server would wait one after the other for what has never come to
	 * the first. What all threads did then says why.
	 */
	private void awaitOf(RateLimiter policy, Predicate<RateLimiter> condition) {
		assertThat(this.stuck).as("an earlier request has never ended").isFalse();
		try {
			await(() -> condition.test(policy));
		}
		catch (ConditionTimeoutException ex) {
			this.stuck = true;
			throw new AssertionError(policy.policy().name() + ": " + counts(policy) + "\n" + threads(), ex);
		}
	}

	private static String counts(RateLimiter policy) {
		return Stream
			.concat(Stream.of(RateLimitOutcome.values()).map((outcome) -> outcome + " " + policy.count(outcome)),
					Stream.of(RateLimitSettlement.values())
						.map((settlement) -> settlement + " " + policy.settlements(settlement)))
			.collect(Collectors.joining(", "));
	}

	private static String threads() {
		return Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.map((each) -> each.getKey() + " " + each.getKey().getState() + "\n\t"
					+ Stream.of(each.getValue()).map(StackTraceElement::toString).collect(Collectors.joining("\n\t")))
			.collect(Collectors.joining("\n"));
	}

	/**
	 * Waits until no thread serves a request that is suspended. Before, Jetty does not
	 * tell that the client has gone away.
	 */
	public static void awaitSuspended() {
		await(() -> Thread.getAllStackTraces()
			.values()
			.stream()
			.flatMap(Stream::of)
			.noneMatch((frame) -> frame.getClassName().endsWith(".ServletChannel")));
	}

	/**
	 * How many requests a policy has settled, whatever came of it.
	 */
	public static long settled(RateLimiter policy) {
		return Stream.of(RateLimitSettlement.values()).mapToLong(policy::settlements).sum();
	}

	public static void await(Callable<Boolean> condition) {
		// it mostly is so already, which a thread of its own would find out later
		Awaitility.await()
			.atMost(GENEROUS)
			.pollInSameThread()
			.pollDelay(Duration.ZERO)
			.pollInterval(POLLS)
			.until(condition);
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

	/*
	 * Of two servers in one process, the first that stops would close what they share.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "reactor.netty.http.server.HttpServer")
	static class OwnNetty {

		@Bean
		ReactorResourceFactory ownResources() {
			ReactorResourceFactory resources = new ReactorResourceFactory();
			resources.setUseGlobalResources(false);
			resources.setShutdownQuietPeriod(Duration.ZERO);
			return resources;
		}

	}

}
