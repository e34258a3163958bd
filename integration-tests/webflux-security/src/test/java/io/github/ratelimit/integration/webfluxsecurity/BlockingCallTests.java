package io.github.ratelimit.integration.webfluxsecurity;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.integration.fixtures.LocalRedis;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.TestServer;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.stereotype.Service;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebSession;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No thread that must not block does: neither those of Netty, of the server as of the
 * client of Redis, nor those of {@code Schedulers.parallel()}. Whatever is limited, and
 * wherever it is decided.
 */
class BlockingCallTests {

	private static final Queue<String> BLOCKED = new ConcurrentLinkedQueue<>();

	/*
	 * Held for a moment, by whoever has memory of Netty, sends a command by Lettuce, or
	 * makes what is made once.
	 */
	private static final List<String> LOCKS = List.of("io.netty.buffer.", "io.lettuce.core.protocol.SharedLock",
			"org.springframework.util.function.SingletonSupplier");

	private static final String[] LIMITS = { "spring.autoconfigure.exclude=", "plain: 3 per 1m",
			"user: 3 per 1m; key=principal",
			"planned: 3 per 1m; key=@slow.answer(header('X-Key')); plan=@slow.answer(header('X-Plan')); plans.pro.limit=1000; plans.pro.window=1m",
			"queue: 100 per 1s; algorithm=leaky-bucket; burst=100", "session: 3 per 1m; key=session.id",
			"login: 3 per 1m; key=parameter('username'); charge=authenticationFailed",
			"banned: 1 per 1m; ban.after=2; ban.within=1m; ban.for=1m", "tried: 1 per 1m; mode=shadow",
			"/plain -> plain", "/user -> user", "/planned -> planned", "/queue -> queue", "/session -> session",
			"/login -> login", "/banned -> banned", "/tried -> tried" };

	/* What waits does so for a short while, and what is rejected is so with certainty. */
	private static final int TIMES = 12;

	@BeforeAll
	static void watch() {
		BlockHound.install((builder) -> builder.blockingMethodCallback(BlockingCallTests::note));
	}

	/*
	 * A thread that runs nothing but Java's own code waits for a task. Whether it began
	 * to do so before it was watched is up to the machine.
	 */
	private static void note(BlockingMethod method) {
		List<StackTraceElement> calls = Stream.of(new Throwable().getStackTrace())
			.dropWhile((call) -> !call.getMethodName().equals("checkBlocking"))
			.skip(1)
			.toList();
		String waiting = calls.stream()
			.map(StackTraceElement::getClassName)
			.filter((type) -> !type.startsWith("java.") && !type.startsWith("jdk."))
			.findFirst()
			.orElse("");
		if (!waiting.isEmpty() && LOCKS.stream().noneMatch(waiting::startsWith)) {
			BLOCKED.add(method + " on " + Thread.currentThread().getName()
					+ calls.stream().map((call) -> "\n\tat " + call).collect(Collectors.joining()));
		}
	}

	@BeforeEach
	void forget() {
		BLOCKED.clear();
	}

	@ParameterizedTest
	@EnumSource
	void nothingBlocks(Where where) throws Exception {
		try (LocalRedis redis = LocalRedis.start();
				TestServer server = start(TestServer.with(where.properties, redis.property()))) {
			switch (where) {
				case REDIS_SLOW -> server.bean(StringRedisTemplate.class)
					.execute((connection) -> connection.execute("CLIENT", "PAUSE".getBytes(), "400".getBytes()), true);
				case REDIS_GONE -> stop(redis);
				default -> {
				}
			}
			List<CompletableFuture<Integer>> answers = new ArrayList<>();
			for (int i = 0; i < TIMES; i++) {
				answers.addAll(requests(server));
			}
			List<Integer> statuses = answers.stream().map(CompletableFuture::join).toList();
			assertThat(statuses).contains(200).isSubsetOf(200, 302, 401, 429, 503);
			if (where != Where.REDIS_SLOW && where != Where.REDIS_GONE) {
				assertThat(statuses).contains(429);
			}
			if (where != Where.STORE_THAT_BLOCKS) {
				assertThat(server.send("GET", "/service/plain", "").status()).as("a plain value")
					.isEqualTo((where == Where.IN_THIS_PROCESS) ? 200 : 500);
			}
		}
		assertThat(BLOCKED).isEmpty();
	}

	private static void stop(AutoCloseable redis) throws Exception {
		redis.close();
	}

	private static TestServer start(String... properties) {
		return TestServer.startSecured(Application.class, TestServer.with(LIMITS, properties));
	}

	private static List<CompletableFuture<Integer>> requests(TestServer server) {
		List<CompletableFuture<Integer>> all = new ArrayList<>();
		for (String path : List.of("/plain", "/queue", "/banned", "/tried", "/handler?name=ann", "/waiting", "/service",
				"/service/waiting", "/service/future", "/handler/key", "/session")) {
			all.add(status(server, "GET", path, ""));
		}
		all.add(status(server, "GET", "/planned", "", "X-Key", "a", "X-Plan", "pro"));
		all.add(status(server, "GET", "/planned", "", "X-Key", "b", "X-Plan", "none"));
		all.add(status(server, "GET", "/user", "", "Authorization", TestServer.basic("ann", "secret")));
		all.add(status(server, "POST", "/login", "username=ann&password=secret", "Content-Type",
				"application/x-www-form-urlencoded"));
		all.add(status(server, "POST", "/login", "username=bob&password=wrong", "Content-Type",
				"application/x-www-form-urlencoded"));
		return all;
	}

	private static CompletableFuture<Integer> status(TestServer server, String method, String path, String body,
			String... headers) {
		return server.sendAsync(method, path, body, headers).thenApply(Answer::status);
	}

	@Test
	void whatBlocksIsSeen() {
		try (TestServer server = start()) {
			server.send("GET", "/blocking", "");
		}
		assertThat(BLOCKED)
			.anyMatch((call) -> call.matches("(?s)java\\.lang\\.Thread\\.sleep\\w* on (reactor-http|parallel).*"));
	}

	/*
	 * Whether a thread fails to change a state that another has changed meanwhile is up
	 * to the machine; what it does then is not.
	 */
	@Test
	void aPauseAfterAFailedAttemptIsNoBlockingCall() {
		Method pause = ReflectionUtils
			.findMethod(ClassUtils.resolveClassName("io.github.ratelimit.local.Backoff", null), "pause", int.class);
		ReflectionUtils.makeAccessible(pause);
		Mono.fromRunnable(
				() -> IntStream.range(1, 10).forEach((failures) -> ReflectionUtils.invokeMethod(pause, null, failures)))
			.subscribeOn(Schedulers.parallel())
			.block();
		assertThat(BLOCKED).isEmpty();
	}

	/*
	 * On one key that all want, and on so many that keys are evicted.
	 */
	@ParameterizedTest
	@EnumSource
	void decisionsInThisProcessAreNoBlockingCalls(RateLimitAlgorithm algorithm) {
		Scheduler threads = Schedulers.newParallel("deciding", 4);
		try (LocalRateLimitStore store = new LocalRateLimitStore(RateLimitClock.system(), 2000, 1_000_000)) {
			PolicyDecider states = store
				.open(RateLimitPolicy.of("api", RateLimit.of(algorithm, 1000, Duration.ofSeconds(1))));
			Flux.range(0, 4).parallel(4).runOn(threads).doOnNext((thread) -> {
				for (int i = 0; i < 20_000; i++) {
					states.decide("one", 1);
					states.decide(thread + " " + i, 1);
				}
			}).then().block();
		}
		finally {
			threads.dispose();
		}
		assertThat(BLOCKED).isEmpty();
	}

	/*
	 * What BlockHound finds on a thread that must not block, however short it is.
	 */
	private static void sleep() {
		try {
			Thread.sleep(3);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Where limits are decided.
	 */
	enum Where {

		IN_THIS_PROCESS,

		REDIS("ratelimit.store=redis"),

		REDIS_SLOW("ratelimit.store=redis"),

		REDIS_GONE("ratelimit.store=redis"),

		STORE_THAT_BLOCKS("slow-store=true");

		private final String[] properties;

		Where(String... properties) {
			this.properties = properties;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, Limited.class, SecuredUsers.class })
	static class Application {

		@Bean
		Slow slow() {
			return new Slow();
		}

		@Bean
		@ConditionalOnProperty("slow-store")
		RateLimitStore slowStore(RateLimitClock clock) {
			return new SlowStore(new LocalRateLimitStore(clock, 1000));
		}

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http
				.authorizeExchange(
						(exchanges) -> exchanges.pathMatchers("/user").authenticated().anyExchange().permitAll())
				.formLogin(Customizer.withDefaults())
				.httpBasic(Customizer.withDefaults())
				.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.build();
		}

	}

	/**
	 * As if it asked a database.
	 */
	static class Slow {

		public String answer(String text) {
			sleep();
			return text;
		}

	}

	@RestController
	static class Controller {

		private final Limited limited;

		Controller(Limited limited) {
			this.limited = limited;
		}

		@GetMapping({ "/plain", "/planned", "/queue", "/user", "/banned", "/tried" })
		Mono<String> served() {
			return Mono.just("served");
		}

		@GetMapping("/session")
		Mono<String> session(WebSession session) {
			session.getAttributes().put("seen", true);
			return Mono.just("seen");
		}

		@GetMapping("/handler")
		@RateLimited(limit = 3, window = "1m", key = "#name")
		Mono<String> handler(String name) {
			return Mono.just(name);
		}

		@GetMapping("/handler/key")
		@RateLimited(limit = 3, window = "1m", key = "@slow.answer('all')")
		Mono<String> slowKey() {
			return Mono.just("served");
		}

		@GetMapping("/waiting")
		@RateLimited("queue")
		Mono<String> waiting() {
			return Mono.just("waited");
		}

		@GetMapping("/service")
		Mono<String> service() {
			return this.limited.call();
		}

		@GetMapping("/service/waiting")
		Mono<String> serviceWaits() {
			return this.limited.wait("ann");
		}

		@GetMapping("/service/future")
		CompletableFuture<String> serviceCompletesLater() {
			return this.limited.later("ann");
		}

		@GetMapping("/service/plain")
		Mono<String> serviceIsPlain() {
			return Mono.fromSupplier(this.limited::plain);
		}

		@GetMapping("/blocking")
		Mono<String> blocking() {
			sleep();
			return Mono.just("blocked");
		}

	}

	@Service
	static class Limited {

		@RateLimited(limit = 3, window = "1m", key = "@slow.answer('all')")
		public Mono<String> call() {
			return Mono.delay(Duration.ofMillis(1)).thenReturn("called");
		}

		@RateLimited(limit = 3, window = "1m", key = "@slow.answer(#name)")
		@RateLimited(policy = "queue", key = "#name")
		public CompletableFuture<String> later(String name) {
			return CompletableFuture.completedFuture(name);
		}

		@RateLimited(limit = 3, window = "1m")
		public String plain() {
			return "plain";
		}

		@RateLimited(policy = "queue", key = "#name")
		public Mono<String> wait(String name) {
			return Mono.just(name);
		}

	}

	/**
	 * A store of the application's own that waits for something.
	 */
	private record SlowStore(RateLimitStore store) implements RateLimitStore {

		@Override
		public String name() {
			return "slow";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			PolicyDecider states = this.store.open(policy);
			return new PolicyDecider() {

				@Override
				public RateLimitDecision decide(String key, long permits) {
					sleep();
					return states.decide(key, permits);
				}

				@Override
				public void refund(String key, long permits, RateLimitDecision given) {
					sleep();
					states.refund(key, permits, given);
				}

				@Override
				public void reset(String key) {
					states.reset(key);
				}

			};
		}

	}

}
