package io.github.ratelimit.integration.suite;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Requests that a leaky bucket delays: they wait without a thread, in order, at most as
 * many as may, each once, and whatever becomes of them they leave their place.
 */
class WaitingTests {

	private static final Duration GENEROUS = Duration.ofSeconds(60);

	/* Thirty times as many as there are threads. */
	private static final int MANY = 300;

	/* So that a client, which may have a quarter of all places, has ten. */
	private static final int ENOUGH = 40;

	private static final Duration FOR_EVER = Duration.ofHours(1);

	private static final String[] PROPERTIES = { "server.http2.enabled=true", "server.tomcat.accept-count=1000",
			"server.jetty.threads.max=12", "hour: 1 per 1h; algorithm=leaky-bucket; burst=1000; key=header('Who')",
			"soon: 20 per 1s; algorithm=leaky-bucket; burst=20", "slower: 1 per 1h; algorithm=leaky-bucket; burst=10",
			"/ruled/hour/** -> hour", "/ruled/soon/** -> soon", "/functional/soon -> soon", "/functional/hour -> hour",
			"/ruled/slower -> slower", "patient: 20 per 1s; burst=1; max-wait=120ms", "/ruled/patient -> patient",
			"quota: 2 per 1s; algorithm=fixed-window-counter; max-wait=1s", "/ruled/quota -> quota",
			"logged: 2 per 100ms; algorithm=sliding-window-log; max-wait=150ms", "/ruled/logged -> logged",
			"estimated: 2 per 100ms; algorithm=sliding-window-counter; max-wait=1s", "/ruled/estimated -> estimated" };

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = start(ENOUGH);
	}

	@BeforeEach
	void forget() {
		TestServer.await(() -> room(server).waiting() == 0);
		server.forget();
		numbers(server).clear();
	}

	@ParameterizedTest
	@CsvSource({ "GET, /ruled/hour", "HEAD, /hour" })
	void manyWaitingRequestsLeaveTenThreadsToTheOthersAndAreAnsweredWhenTheServerStops(String method, String path) {
		List<CompletableFuture<Answer>> waiting = new ArrayList<>();
		TestServer server = start(4 * MANY, TestServer.GRACEFULLY, "server.tomcat.threads.max=10");
		try {
			server.get(path).is(200);
			for (int i = 1; i <= MANY; i++) {
				waiting.add(server.sendAsync(method, path, ""));
				if (i % 100 == 0) {
					// so that the system need not queue all connections at once
					awaitWaiting(server, i);
				}
			}
			assertTimeoutPreemptively(GENEROUS, () -> {
				for (int i = 0; i < 50; i++) {
					assertThat(server.get("/free").body()).isEqualTo("free");
				}
			});
			assertThat(waiting).noneMatch(CompletableFuture::isDone);
		}
		finally {
			assertTimeoutPreemptively(GENEROUS, server::close);
		}
		assertThat(waiting)
			.allMatch((request) -> request.orTimeout(GENEROUS.toSeconds(), TimeUnit.SECONDS).join().status() == 503);
	}

	/*
	 * Where several threads serve, the order is that of when they may begin.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon", "/soon" })
	void theOrderIsKept(String path) {
		try (TestServer server = start(ENOUGH, "server.tomcat.threads.max=1")) {
			server.get(path + "?n=0").is(200);
			List<CompletableFuture<?>> waiting = new ArrayList<>();
			long begin = System.nanoTime();
			for (int i = 1; i <= 5; i++) {
				Duration delay = Duration.ofMillis(50 * i);
				waiting.add(server.sendAsync("GET", path + "?n=" + i, "")
					.thenAccept((answer) -> assertThat(Duration.ofNanos(System.nanoTime() - begin))
						.isGreaterThanOrEqualTo(delay)));
				server.awaitDelayed("soon", i);
			}
			CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).join();
			assertThat(numbers(server)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon/mono", "/ruled/soon/future", "/functional/soon" })
	void whatAnswersLaterAnswersAfterTheWait(String path) {
		long before = server.limiter().policy("soon").count(RateLimitOutcome.DELAYED);
		for (int i = 0; i < 3; i++) {
			Answer response = server.get(path);
			assertThat(path).endsWith(response.is(200).body());
			assertThat(response.all("RateLimit")).hasSize(1);
		}
		assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon/body", "/body" })
	void aBodyCanBeReadAfterTheWait(String path) {
		long before = server.limiter().policy("soon").count(RateLimitOutcome.DELAYED);
		String body = "0123456789".repeat(10_000);
		for (int i = 0; i < 3; i++) {
			assertThat(server.send("POST", path, body, "Content-Type", "text/plain").body()).isEqualTo(body);
		}
		assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/hour", "/hour", "/functional/hour" })
	void whoWouldWaitBesideAsManyAsMayIsRejectedAndTakesNothing(String path) {
		try (TestServer server = start(8)) {
			server.get(path, "Who", "a").is(200);
			CompletableFuture<?> first = server.sendAsync("GET", path, "", "Who", "a");
			CompletableFuture<?> second = server.sendAsync("GET", path, "", "Who", "a");
			awaitWaiting(server, 2);
			server.get(path, "Who", "b").is(200);
			for (int i = 0; i < 2; i++) {
				Answer rejected = server.get(path, "Who", "b");
				rejected.is(429, "Retry-After: 3600", "RateLimit: \"hour\";r=0;t=3600");
				assertThat(rejected.body()).contains("quota-exceeded", "\"violated-policies\":[\"hour\"]");
			}
			assertThat(room(server).waiting()).isEqualTo(2);
			assertThat(server.limiter().policy("hour").count(RateLimitOutcome.QUEUE_FULL)).isEqualTo(2);
			assertThat(server.limiter().policy("hour").count(RateLimitOutcome.REJECTED)).isZero();
			server.clock().advance(Duration.ofHours(1));
			server.get(path, "Who", "b").is(200);
			assertThat(first).isNotDone();
			assertThat(second).isNotDone();
		}
	}

	@Test
	void ofManyAtOnceAClientTakesAQuarterOfThePlacesWhateverKeysItInvents() {
		try (TestServer server = start(50)) {
			List<CompletableFuture<Answer>> sent = new ArrayList<>();
			for (int i = 0; i < 300; i++) {
				sent.add(server.sendAsync("GET", "/ruled/hour", "", "Who", "key" + i % 7));
			}
			TestServer.await(() -> sent.stream().filter(CompletableFuture::isDone).count() == 288);
			assertThat(room(server).waiting()).isEqualTo(12);
			assertThat(sent.stream().filter(CompletableFuture::isDone).map((answer) -> answer.join().status()))
				.containsOnly(200, 429);
		}
	}

	@Test
	void ofManyClientsAtOnceAKeyTakesAQuarterOfThePlacesAndAPolicyAHalf() {
		try (TestServer server = start(40, "ratelimit.client-address.trusted-proxies=127.0.0.0/8,::1")) {
			// whoever passes at once has a slot for that moment, which those who come
			// then do not find
			server.get("/ruled/hour", "Who", "same").is(200);
			List<CompletableFuture<Answer>> ofOneKey = sendOfManyClients(server, "/ruled/hour", "same");
			TestServer.await(() -> ofOneKey.stream().filter(CompletableFuture::isDone).count() == 90);
			assertThat(room(server).waiting()).isEqualTo(10);

			sendOfManyClients(server, "/ruled/hour", null).forEach((first) -> first.join().is(200));
			List<CompletableFuture<Answer>> ofManyKeys = sendOfManyClients(server, "/ruled/hour", null);
			TestServer.await(() -> ofManyKeys.stream().filter(CompletableFuture::isDone).count() == 90);
			assertThat(room(server).waiting()).isEqualTo(20);

			server.get("/ruled/slower").is(200);
			server.sendAsync("GET", "/ruled/slower", "");
			awaitWaiting(server, 21);
		}
	}

	/* Each of a hundred clients sends one, with a key of its own unless one is given. */
	private static List<CompletableFuture<Answer>> sendOfManyClients(TestServer server, String path,
			@Nullable String key) {
		List<CompletableFuture<Answer>> sent = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			String client = "203.0.113." + i;
			String who = Objects.requireNonNullElse(key, client);
			sent.add(server.sendAsync("GET", path, "", "Who", who, "X-Forwarded-For", client));
		}
		return sent;
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/patient", "/patient" })
	void whoWouldBeAllowedInTimeWaitsAndAnyOtherIsRejectedAtOnce(String path) {
		long before = server.limiter().policy("patient").count(RateLimitOutcome.DELAYED);
		long begin = System.nanoTime();
		for (int i = 0; i < 3; i++) {
			server.get(path).is(200, "RateLimit: \"patient\";r=0;t=1", "Retry-After:");
		}
		assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(Duration.ofMillis(150).toNanos());
		server.get(path).is(429, "Retry-After: 1");
		assertThat(server.limiter().policy("patient").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 2);
		server.clock().advance(Duration.ofMillis(30));
		server.get(path).is(200);
		TestServer.await(() -> room(server).waiting() == 0);
	}

	@Test
	void whoeverHasNoPermitOfAWindowWaitsForTheNext() {
		long before = server.limiter().policy("quota").count(RateLimitOutcome.DELAYED);
		for (int i = 0; i < 4; i++) {
			server.get("/ruled/quota").is(200);
		}
		assertThat(server.limiter().policy("quota").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 2);
	}

	@Test
	void whoeverFindsASlidingWindowFullWaitsUntilItHasRoom() {
		long before = server.limiter().policy("logged").count(RateLimitOutcome.DELAYED);
		for (int i = 0; i < 4; i++) {
			server.get("/ruled/logged").is(200);
		}
		server.get("/ruled/logged").is(429, "Retry-After: 1");
		assertThat(server.limiter().policy("logged").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 2);
	}

	@Test
	void whoeverFindsAnEstimateFullWaitsUntilItHasRoom() {
		long before = server.limiter().policy("estimated").count(RateLimitOutcome.DELAYED);
		for (int i = 0; i < 4; i++) {
			server.get("/ruled/estimated").is(200);
		}
		assertThat(server.limiter().policy("estimated").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon", "/soon" })
	void nobodyWaitsIfNobodyMay(String path) {
		try (TestServer server = start(0)) {
			server.get(path).is(200);
			server.get(path).is(429);
			server.clock().advance(Duration.ofMillis(50));
			server.get(path).is(200);
		}
	}

	/*
	 * Tomcat notices with HTTP/2, where a client can abandon a single request.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/ruled/slower", "/slower" })
	void aClientThatIsReportedAsGoneIsDroppedAndLeavesItsPlace(String path) {
		long before = server.limiter().policy("slower").count(RateLimitOutcome.DELAYED);
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
		HttpRequest request = HttpRequest.newBuilder(server.uri(path)).build();
		assertThat(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join().version())
			.isEqualTo(HttpClient.Version.HTTP_2);
		CompletableFuture<?> gone = client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
		server.awaitDelayed("slower", (int) before + 1);
		TestServer.awaitSuspended();
		gone.cancel(true);
		TestServer.await(() -> room(server).waiting() == 0);
		server.clock().advance(Duration.ofHours(2));
		assertThat(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join().body()).isEqualTo("soon");
		assertThat(numbers(server)).hasSize(2);
	}

	@Test
	void whoIsServedLeavesItsPlaceBeforeItsHandlerReturns() {
		server.get("/ruled/soon/place").is(200);
		server.get("/ruled/soon/place").is(200);
	}

	@Test
	void whoseWaitIsOverBeforeItsHandlerIsCalledLeavesItsPlaceBeforeItReturns() {
		long before = server.limiter().policy("hour").count(RateLimitOutcome.DELAYED);
		server.get("/ruled/hour").is(200);
		server.get("/ruled/hour/late").is(200);
		assertThat(server.limiter().policy("hour").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 1);
	}

	@Test
	void aConnectionThatIsClosedWhileItsRequestWaitsDoesNoHarm() {
		server.get("/ruled/soon");
		for (int i = 0; i < 5; i++) {
			server.sendAsync("GET", "/ruled/soon", "").cancel(true);
		}
		assertThat(server.get("/ruled/soon").body()).isEqualTo("soon");
	}

	private static TestServer start(int maximum, String... more) {
		String[] properties = TestServer.with(PROPERTIES, "ratelimit.waiting.maximum=" + maximum);
		return TestServer.start(List.of(Controller.class, Stack.part("Functions")), TestServer.with(properties, more));
	}

	private static WaitingRoom room(TestServer server) {
		return server.bean(WaitingRoom.class);
	}

	private static Queue<Integer> numbers(TestServer server) {
		return server.bean(Controller.class).numbers;
	}

	private static void awaitWaiting(TestServer server, int count) {
		TestServer.await(() -> room(server).waiting() >= count);
	}

	@RestController
	static class Controller {

		/* What was asked for, in the order in which it was served. */
		private final Queue<Integer> numbers = new ConcurrentLinkedQueue<>();

		private final WaitingRoom room;

		Controller(WaitingRoom room) {
			this.room = room;
		}

		/*
		 * Who waits for an hour uses any grace period up.
		 */
		@Bean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME)
		static DefaultLifecycleProcessor withoutGrace() {
			DefaultLifecycleProcessor processor = new DefaultLifecycleProcessor();
			processor.setTimeoutPerShutdownPhase(FOR_EVER.toMillis());
			processor.setTimeoutForShutdownPhase(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE, 1);
			return processor;
		}

		@Bean
		static Later later(ManualClock clock) {
			return new Later(clock);
		}

		@GetMapping("/free")
		String free() {
			return "free";
		}

		@GetMapping({ "/ruled/hour", "/ruled/soon", "/ruled/slower", "/ruled/patient", "/ruled/quota", "/ruled/logged",
				"/ruled/estimated" })
		String ruled(@RequestParam(defaultValue = "0") int n) {
			this.numbers.add(n);
			return "soon";
		}

		@RateLimited("hour")
		@GetMapping("/hour")
		void hour() {
		}

		@RateLimited("soon")
		@GetMapping("/soon")
		String soon(@RequestParam(defaultValue = "0") int n) {
			return ruled(n);
		}

		@RateLimited("patient")
		@GetMapping("/patient")
		String patient() {
			return ruled(0);
		}

		@RateLimited("slower")
		@GetMapping("/slower")
		String slower() {
			return ruled(0);
		}

		@GetMapping("/ruled/soon/place")
		void place() {
			TestServer.await(() -> this.room.waiting() == 0);
		}

		/* The rule makes it wait, and then two hours pass. */
		@RateLimited(policy = "soon", condition = "@later.isNotLimited()")
		@GetMapping("/ruled/hour/late")
		void late() {
			place();
		}

		@GetMapping("/ruled/soon/mono")
		Mono<String> mono() {
			return Mono.just("mono");
		}

		@GetMapping("/ruled/soon/future")
		CompletableFuture<String> future() {
			return CompletableFuture.supplyAsync(() -> "future");
		}

		@PostMapping("/ruled/soon/body")
		String ruledBody(@RequestBody String body) {
			return body;
		}

		@RateLimited("soon")
		@PostMapping("/body")
		String body(@RequestBody String body) {
			return body;
		}

	}

	/**
	 * Lets time pass while a condition is evaluated.
	 *
	 * @param clock the application's clock
	 */
	record Later(ManualClock clock) {

		public boolean isNotLimited() {
			this.clock.advance(Duration.ofHours(2));
			return false;
		}

	}

}
