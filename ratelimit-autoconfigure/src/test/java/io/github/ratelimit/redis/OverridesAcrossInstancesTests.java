package io.github.ratelimit.redis;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.OpenToAll;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A change by one request to one of three applications that share a server is in force in
 * all of them within two seconds, and no decision mixes the numbers of before and after.
 */
class OverridesAcrossInstancesTests {

	/* Two seconds, and what a busy machine takes for three applications. */
	private static final long MOST_MILLIS = 2000 + 3000;

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static TestRedis redis;

	private static List<Instance> instances;

	@BeforeAll
	static void start() {
		redis = TestRedis.start();
		instances = Stream.generate(Instance::new).limit(3).toList();
		instances.forEach((instance) -> instance.awaitDecisionsUnder(1000));
	}

	@AfterAll
	static void stop() {
		instances.forEach(Instance::close);
		redis.close();
	}

	@Test
	void aChangeIsInForceEverywhereWithinTwoSeconds() throws Exception {
		change(0, 40);
		change(1, 2000);
		change(2, 60);
		try (Instance late = new Instance()) {
			late.awaitDecisionsUnder(60);
			assertThat(late.report.first).isEqualTo(60);
		}
		instances.get(1).send("/override", HttpRequest.newBuilder().DELETE());
		awaitEverywhere(1000);
		assertThat(instances).allSatisfy((instance) -> {
			assertThat(instance.report.mixed).isZero();
			assertThat(instance.report.fallbacks).isZero();
		});
	}

	private static void change(int instance, int limit) throws Exception {
		String body = "{\"limits\": [{\"limit\": " + limit + ", \"window\": \"1m\"}], \"reason\": \"a test\"}";
		instances.get(instance)
			.send("",
					HttpRequest.newBuilder()
						.header("Content-Type", "application/json")
						.POST(HttpRequest.BodyPublishers.ofString(body)));
		awaitEverywhere(limit);
	}

	private static void awaitEverywhere(int limit) {
		long begin = System.currentTimeMillis();
		long runningBegin = RunningTime.nanos();
		instances.forEach((instance) -> instance.awaitDecisionsUnder(limit));
		long stalled = System.currentTimeMillis() - begin - RunningTime.since(runningBegin).toMillis();
		assertThat(instances)
			.allSatisfy((instance) -> assertThat(instance.report.changedAt - begin).isLessThan(MOST_MILLIS + stalled));
	}

	/**
	 * One instance of an application, and callers that ask it all the time.
	 */
	private static final class Instance implements AutoCloseable {

		private static final int CALLERS = 16;

		private final Report report = new Report();

		private final ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.initializers((context) -> context.getBeanFactory().registerSingleton("report", this.report))
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"spring.data.redis.port=" + redis.port(), "ratelimit.store=redis", "ratelimit.redis.timeout=10s",
					"management.endpoints.web.exposure.include=ratelimits",
					"management.endpoint.ratelimits.access=unrestricted", "ratelimit.policies.api.limit=1000",
					"ratelimit.policies.api.window=1m")
			.run();

		private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);

		Instance() {
			RateLimiterRegistry registry = this.context.getBean(RateLimiterRegistry.class);
			for (int i = 0; i < CALLERS; i++) {
				this.callers.execute(() -> ask(registry));
			}
		}

		private static void ask(RateLimiterRegistry registry) {
			while (!Thread.currentThread().isInterrupted()) {
				registry.decide("api", "key" + ThreadLocalRandom.current().nextInt(500));
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(25));
			}
		}

		void awaitDecisionsUnder(long limit) {
			TestRedis.await(() -> this.report.hasDecidedUnder(limit));
		}

		void send(String path, HttpRequest.Builder request) throws IOException, InterruptedException {
			String port = this.context.getEnvironment().getRequiredProperty("local.server.port");
			URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/ratelimits/api" + path);
			HttpResponse<String> answer = CLIENT.send(request.uri(uri).build(), HttpResponse.BodyHandlers.ofString());
			assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 204);
		}

		@Override
		public void close() {
			this.callers.shutdownNow();
			TestRedis.await(this.callers::isTerminated);
			this.context.close();
		}

	}

	/**
	 * What was decided under which limit.
	 */
	private static final class Report implements RateLimitListener {

		private volatile long first;

		private long limit;

		/* How many decisions were made in a row under the limit. */
		private long decisions;

		/* When the last one was made under another. */
		private volatile long changedAt;

		private volatile int fallbacks;

		private volatile int mixed;

		@Override
		public synchronized void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
			long limit = policy.limits().get(0).limit();
			if (limit != this.limit) {
				this.first = (this.first == 0) ? limit : this.first;
				this.changedAt = System.currentTimeMillis();
				this.decisions = 0;
				this.limit = limit;
			}
			this.decisions++;
			this.fallbacks += decision.fallback() ? 1 : 0;
			this.mixed += isMixed(limit, decision) ? 1 : 0;
		}

		/* A bucket of the limit has its next permit within a part of the minute. */
		private static boolean isMixed(long limit, RateLimitDecision decision) {
			long interval = Duration.ofMinutes(1).dividedBy(limit).toNanos();
			return decision.remaining() > limit || decision.nextPermitAfterNanos() > interval + 1_000_000;
		}

		synchronized boolean hasDecidedUnder(long limit) {
			return this.limit == limit && this.decisions >= 100;
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OpenToAll.class)
	static class Application {

	}

}
