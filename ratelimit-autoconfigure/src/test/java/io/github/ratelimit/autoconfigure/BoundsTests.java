package io.github.ratelimit.autoconfigure;

import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.request.WaitingRoom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How much memory keys may take, and how many may wait for how long.
 */
class BoundsTests {

	private static final String QUEUE = """
			spring.mvc.async.request-timeout: 10s
			ratelimit:
			  policies:
			    queue:
			      limits:
			        - { algorithm: leaky-bucket, limit: 2, window: 1s, burst: %d }
			  rules:
			    - { path: /**, policy: queue }
			""";

	@ParameterizedTest
	@CsvSource({ ", 4096", "server.tomcat.max-connections=101, 50", "server.tomcat.max-connections=1, 1",
			"server.tomcat.max-connections=-1, 1000", "ratelimit.waiting.maximum=7, 7",
			"ratelimit.waiting.maximum=0, 0" })
	void halfOfTheServersConnectionsMayWait(String property, int maximum) {
		runner().withPropertyValues((property != null) ? new String[] { property } : new String[0])
			.run((context) -> assertThat(context.getBean(WaitingRoom.class).maximum()).isEqualTo(maximum));
	}

	@Test
	void withoutAServerAThousandMayWait() {
		runner().withClassLoader(new FilteredClassLoader(TomcatWebServer.class))
			.run((context) -> assertThat(context.getBean(WaitingRoom.class).maximum()).isEqualTo(1000));
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			waiting.maximum: -1         | waiting.maximum         | -1  | Set it to the number of requests
			caffeine.maximum-memory: 0B | caffeine.maximum-memory | 0B  | Set it to what the keys
			caffeine.maximum-memory: -5MB | caffeine.maximum-memory | -5242880B | Set it to what the keys
			""")
	void boundThatCannotBeIsNamed(String line, String property, String value, String action) {
		FailedStart failed = FailedStart.of("ratelimit." + line);
		assertThat(failed.description())
			.startsWith("The property 'ratelimit." + property + "' with the value '" + value + "' is out of range.");
		assertThat(failed.action()).startsWith(action);
	}

	@Test
	void policyOfWhichASingleKeyDoesNotFitIsNamed() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  caffeine.maximum-memory: 1MB
				  policies:
				    login:
				      limits:
				        - { limit: 5, window: 1m }
				        - { algorithm: sliding-window-log, limit: 100000, window: 1h }
				""");
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies.login.limits[1].limit' with the value '100000' would make a "
					+ "single key of the policy 'login' take up to 1600856 bytes, more than the 1048576 bytes of "
					+ "ratelimit.caffeine.maximum-memory");
		assertThat(failed.action()).contains("raise ratelimit.caffeine.maximum-memory");
	}

	@Test
	void ruleThatCouldMakeARequestWaitForLongerThanItMayBeSuspendedIsNamed() {
		FailedStart failed = FailedStart.ofServer(QUEUE.formatted(21));
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.rules[0].policy' with the value 'queue' could make a request wait for "
					+ "10.5 s, but spring.mvc.async.request-timeout is 10 s.");
		assertThat(failed.action()).startsWith("Give the policy a smaller burst");
	}

	@Test
	void ruleIsNamedWhosePlanCouldMakeARequestWaitForTooLong() {
		FailedStart failed = FailedStart.ofServer(QUEUE.formatted(20)
			.replace("      limits:",
					"      plan: \"'slow'\"\n      plans: { slow: { algorithm: leaky-bucket, limit: 2, "
							+ "window: 1s, burst: 21 } }\n      limits:"));
		assertThat(failed.description()).startsWith("The property 'ratelimit.rules[0].policy' with the value 'queue' "
				+ "could make a request wait for 10.5 s");
	}

	@ParameterizedTest
	@ValueSource(classes = { LongerThanConfigured.class, LongerThanConfiguredWithArguments.class })
	void handlerThatCouldMakeARequestWaitForLongerIsNamed(Class<?> controller) {
		FailedStart failed = FailedStart.ofServer(QUEUE.formatted(20), controller);
		assertThat(failed.description()).contains("could make a request wait for 11 s in the leaky bucket, which is "
				+ "longer than the 10 s of spring.mvc.async.request-timeout");
	}

	@Test
	void handlerThatReturnsAFutureWaitsNoLongerThanServersDo() {
		FailedStart failed = FailedStart.ofServer("", LongerThanServers.class);
		assertThat(failed.description()).contains("could make a request wait for 31 s in the leaky bucket, which is "
				+ "longer than the 30 s of the server's asynchronous time-out");
	}

	@RestController
	static class LongerThanConfigured {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 11)
		@GetMapping("/")
		public void handle() {
		}

	}

	@RestController
	static class LongerThanConfiguredWithArguments {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 11, key = "#user")
		@GetMapping("/")
		public CompletableFuture<String> handle(String user) {
			return CompletableFuture.completedFuture(user);
		}

	}

	@RestController
	static class LongerThanServers {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 31, key = "#user")
		@GetMapping("/")
		public CompletableFuture<String> handle(String user) {
			return CompletableFuture.completedFuture(user);
		}

	}

}
