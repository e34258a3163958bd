package io.github.ratelimit.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A change by one request to one of three processes that share a server is in force in
 * all of them within two seconds, and no decision mixes the numbers of before and after.
 */
class OverridesAcrossProcessesTests {

	/* Two seconds, and what a busy machine takes to run four processes. */
	private static final long MOST_MILLIS = 2000 + 6000;

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static TestRedis redis;

	private static List<Instance> instances;

	@BeforeAll
	static void start() {
		redis = TestRedis.start();
		instances = IntStream.range(0, 3).parallel().mapToObj((i) -> new Instance()).toList();
		instances.forEach((instance) -> instance.awaitDecisions(100));
	}

	@AfterAll
	static void stop() {
		instances.forEach(Instance::stop);
		redis.close();
	}

	@Test
	void aChangeIsInForceEverywhereWithinTwoSeconds() {
		change(0, 40);
		change(1, 2000);
		withoutMessages(() -> change(2, 60));
		Instance late = new Instance();
		try {
			late.awaitDecisions(60);
			assertThat(late.report().first()).isEqualTo(60);
		}
		finally {
			late.stop();
		}
		endOfChange(1);
		instances.forEach((instance) -> {
			assertThat(instance.report().mixed()).isZero();
			assertThat(instance.report().fallbacks()).isZero();
		});
	}

	private void change(int instance, int limit) {
		String body = "{\"limits\": [{\"limit\": " + limit + ", \"window\": \"1m\"}], \"reason\": \"a test\"}";
		HttpResponse<String> answer = instances.get(instance)
			.send("/actuator/ratelimits/api", (request) -> request.header("Content-Type", "application/json")
				.POST(HttpRequest.BodyPublishers.ofString(body)));
		assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
		awaitEverywhere(limit);
	}

	private void endOfChange(int instance) {
		HttpResponse<String> answer = instances.get(instance)
			.send("/actuator/ratelimits/api/override", HttpRequest.Builder::DELETE);
		assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 204);
		awaitEverywhere(1000);
	}

	private void awaitEverywhere(int limit) {
		long begin = System.currentTimeMillis();
		long runningBegin = RunningTime.nanos();
		instances.forEach((instance) -> instance.awaitDecisionsUnder(limit));
		long stalled = System.currentTimeMillis() - begin - RunningTime.since(runningBegin).toMillis();
		assertThat(instances).allSatisfy((instance) -> {
			Report report = instance.report();
			assertThat(report.limit()).isEqualTo(limit);
			assertThat(report.changedAt() - begin).isLessThan(MOST_MILLIS + stalled);
		});
	}

	/*
	 * Closes the connection of each instance that listens, as often as it comes back.
	 */
	private void withoutMessages(Runnable change) {
		Thread killer = new Thread(() -> {
			while (!Thread.currentThread().isInterrupted()) {
				redis.call("CLIENT", "KILL", "TYPE", "pubsub");
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
			}
		});
		killer.start();
		try {
			change.run();
		}
		finally {
			killer.interrupt();
			join(killer);
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join(TimeUnit.SECONDS.toMillis(20));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private record Report(long first, long limit, long decisions, long changedAt, long fallbacks, long mixed) {

		static Report of(String text) {
			long[] numbers = Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
			return new Report(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
		}

	}

	private static final class Instance {

		private final Process process;

		private final String address;

		Instance() {
			try {
				this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
						"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
						OverriddenInstance.class.getName(), "--server.port=0", "--server.address=127.0.0.1",
						"--spring.data.redis.port=" + redis.port(), "--ratelimit.store=redis",
						"--ratelimit.redis.timeout=10s", "--management.endpoints.web.exposure.include=ratelimits",
						"--management.endpoint.ratelimits.access=unrestricted",
						"--ratelimit.policies.api.limits[0].limit=1000", "--ratelimit.policies.api.limits[0].window=1m")
					.redirectErrorStream(true)
					.start();
				this.address = "http://127.0.0.1:" + port();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		private String port() throws IOException {
			BufferedReader printed = this.process.inputReader();
			StringBuilder all = new StringBuilder();
			for (String line = printed.readLine(); line != null; line = printed.readLine()) {
				if (line.startsWith("port ")) {
					drain(printed);
					return line.substring("port ".length());
				}
				all.append(line).append('\n');
			}
			throw new IllegalStateException("The instance has not started:\n" + all);
		}

		/* A process whose output nobody reads stops at the next line. */
		private static void drain(BufferedReader printed) {
			Thread reader = new Thread(() -> printed.lines().forEach((line) -> {
			}));
			reader.setDaemon(true);
			reader.start();
		}

		void awaitDecisions(long decisions) {
			TestRedis.await(() -> report().decisions() >= decisions);
		}

		void awaitDecisionsUnder(long limit) {
			TestRedis.await(() -> report().limit() == limit && report().decisions() >= 200);
		}

		Report report() {
			return Report.of(send("/report", HttpRequest.Builder::GET).body());
		}

		HttpResponse<String> send(String path, UnaryOperator<HttpRequest.Builder> request) {
			try {
				return CLIENT.send(request.apply(HttpRequest.newBuilder(URI.create(this.address + path))).build(),
						HttpResponse.BodyHandlers.ofString());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

		void stop() {
			this.process.destroyForcibly();
		}

	}

}
