package io.github.ratelimit.integration.webflux;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.ratelimit.request.WaitingRoom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of requests on Netty after they were decided: they wait, are answered,
 * fail, or their client goes away. Every request to be charged reserves 10 of 100
 * permits, and is charged the hundreds of its status, and nothing if that is 200.
 */
class ReactiveOutcomesTests {

	private static final Semaphore called = new Semaphore(0);

	@AutoClose
	private static NettyServer server;

	@BeforeAll
	static void start() {
		server = NettyServer.start(Application.class,
				NettyServer.all(
						NettyServer.policy("status", 100, "1d", "key='all'",
								"charge=status == 200 ? 0 : status / 100.0"),
						NettyServer.policy("failed", 100, "1d", "key='all'", "charge=exception != null"),
						NettyServer.policy("slow", 1, "500ms", "key='all'", "algorithm=leaky-bucket", "burst=100"),
						NettyServer.policy("never", 1, "1h", "key='all'", "algorithm=leaky-bucket", "burst=100"),
						new String[] { "/charged/** -> status", "/charged/** -> failed", "/slow/** -> slow",
								"/never -> never", "ratelimit.rules[0].cost=10", "ratelimit.rules[1].cost=10",
								"ratelimit.waiting.maximum=20", "server.shutdown=immediate" }));
	}

	@BeforeEach
	void reset() {
		List.of("status", "failed", "slow", "never").forEach((policy) -> server.policy(policy).reset("all"));
		called.drainPermits();
	}

	@ParameterizedTest
	@CsvSource({ "value, 200, 0, 0", "created, 201, 3, 0", "status, 404, 5, 10", "throw, 500, 5, 10",
			"handled, 409, 5, 10", "stream, 200, 0, 0", "empty, 200, 0, 0", "missing, 404, 5, 10",
			"filtered, 202, 3, 0", "outer, 507, 6, 0" })
	void aRequestIsSettledOnceHoweverItEnds(String path, int status, long charged, long failed) {
		assertThat(server.status("/charged/" + path)).isEqualTo(status);
		awaitRemaining("status", 100 - charged);
		awaitRemaining("failed", 100 - failed);
	}

	@ParameterizedTest
	@CsvSource({ "never, 90", "endless, 100" })
	void aRequestWhoseClientGoesAwayIsChargedWhatItHasSeen(String path, long remaining) throws Exception {
		try (Socket socket = server.open("GET /charged/" + path + " HTTP/1.1\r\nHost: a\r\n\r\n")) {
			assertThat(called.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
			if (path.equals("endless")) {
				assertThat(socket.getInputStream().read()).isPositive();
			}
			assertThat(server.policy("status").peek("all").remaining()).isEqualTo(90);
		}
		assertThat(called.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
		awaitRemaining("status", remaining);
		awaitRemaining("failed", (remaining < 100) ? 90 : 100);
	}

	private static void awaitRemaining(String policy, long remaining) {
		await(() -> server.policy(policy).peek("all").remaining() == remaining);
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(10)).until(condition);
	}

	@Test
	void requestsWaitInOrderAndWithoutAThread() {
		long start = System.nanoTime();
		List<CompletableFuture<Integer>> answers = IntStream.range(0, 4)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> server.status("/slow/" + i)))
			.toList();
		assertThat(answers).allSatisfy((answer) -> assertThat(answer.join()).isEqualTo(200));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(1500));
		assertThat(server.context().getBean(WaitingRoom.class).waiting()).isZero();
	}

	@Test
	void thoseWhoseClientsGoAwayGiveTheirPlacesBackAndTheOthersAreRejectedWhenTheApplicationStops() throws Exception {
		NettyServer stopped = NettyServer.start(Application.class, NettyServer.all(
				NettyServer.policy("never", 1, "1h", "key='all'", "algorithm=leaky-bucket", "burst=100"),
				new String[] { "/value -> never", "ratelimit.waiting.maximum=20", "server.shutdown=immediate" }));
		WaitingRoom room = stopped.context().getBean(WaitingRoom.class);
		assertThat(stopped.status("/value")).isEqualTo(200);
		Socket[] gone = new Socket[20];
		for (int i = 0; i < gone.length; i++) {
			gone[i] = stopped.open("GET /value HTTP/1.1\r\nHost: a\r\n\r\n");
		}
		await(() -> room.waiting() == 20);
		assertThat(stopped.status("/value")).isEqualTo(429);
		for (Socket socket : gone) {
			socket.close();
		}
		await(() -> room.waiting() == 0);
		CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> stopped.status("/value"));
		await(() -> room.waiting() == 1);
		stopped.close();
		assertThat(waiting.join()).isEqualTo(503);
		assertThat(room.waiting()).isZero();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Application {

		@GetMapping({ "/charged/value", "/slow/*", "/value" })
		Mono<String> value() {
			return Mono.just("value");
		}

		@GetMapping("/charged/created")
		ResponseEntity<String> created() {
			return ResponseEntity.status(201).build();
		}

		@GetMapping("/charged/status")
		Mono<String> status() {
			return Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND));
		}

		@GetMapping("/charged/throw")
		Mono<String> fail() {
			throw new IllegalStateException("expected by the test");
		}

		@GetMapping("/charged/handled")
		Mono<String> handled() {
			throw new IllegalArgumentException("expected by the test");
		}

		@ExceptionHandler
		ResponseEntity<String> handle(IllegalArgumentException ex) {
			return ResponseEntity.status(409).build();
		}

		@GetMapping(path = "/charged/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<String> stream() {
			return Flux.just("a", "b");
		}

		@GetMapping("/charged/empty")
		Mono<Void> empty() {
			return Mono.empty();
		}

		@GetMapping("/charged/never")
		Mono<String> never() {
			called.release();
			return Mono.<String>never().doOnCancel(called::release);
		}

		@GetMapping(path = "/charged/endless", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<String> endless() {
			called.release();
			return Flux.interval(Duration.ofMillis(20))
				.onBackpressureDrop()
				.map(String::valueOf)
				.doFinally((signal) -> called.release());
		}

		@Bean
		@Order(0)
		WebFilter inner() {
			return (exchange, chain) -> {
				if (exchange.getRequest().getPath().value().endsWith("/filtered")) {
					exchange.getResponse().setStatusCode(HttpStatus.ACCEPTED);
					return Mono.empty();
				}
				return chain.filter(exchange);
			};
		}

		@Bean
		@Order(-1000)
		WebFilter outer() {
			return (exchange, chain) -> chain.filter(exchange).then(Mono.fromRunnable(() -> {
				if (exchange.getRequest().getPath().value().endsWith("/outer")) {
					exchange.getResponse().setStatusCode(HttpStatus.INSUFFICIENT_STORAGE);
				}
			}));
		}

		@GetMapping("/charged/outer")
		Mono<Void> uncommitted() {
			return Mono.empty();
		}

	}

}
