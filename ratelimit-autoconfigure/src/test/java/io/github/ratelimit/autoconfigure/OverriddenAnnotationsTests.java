package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Policies that have the name of an annotated limit, and some of its numbers.
 */
@ExtendWith(OutputCaptureExtension.class)
class OverriddenAnnotationsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					search  | limit: 5                            | token-bucket 5 per 1 min, burst 5
					search  | limit: 5, window: 10s               | token-bucket 5 per 10 s, burst 5
					search  | window: 10s                         | token-bucket 100 per 10 s, burst 100
					search  | burst: 7                            | token-bucket 100 per 1 min, burst 7
					search  | key: "'all'"                        | token-bucket 100 per 1 min, burst 100
					search  | limits: [{ limit: 3, window: 1h }]  | token-bucket 3 per 1 h, burst 3
					burst   | limit: 5                            | token-bucket 5 per 1 min, burst 20
					burst   | algorithm: sliding-window-log       | sliding-window-log 10 per 1 min
					burst   | algorithm: token-bucket             | token-bucket 10 per 1 min, burst 20
					queue   | limit: 5                            | leaky-bucket 5 per 1 s, burst 9, delay 4
					queue   | limit: 5, window: 2s                | leaky-bucket 5 per 2 s, burst 9, delay 4
					queue   | nodelay: true                       | leaky-bucket 10 per 1 s, burst 9, nodelay
					quick   | burst: 5                            | leaky-bucket 10 per 1 s, burst 5, nodelay
					quick   | delay: 3                            | leaky-bucket 10 per 1 s, burst 9, delay 3
					log     | limit: 5                            | sliding-window-log 5 per 1 min, count-rejected
					log     | count-rejected: false               | sliding-window-log 10 per 1 min
					quota   | limit: 5                            | fixed-window-counter 5 per calendar month in Europe/Berlin from 15
					quota   | zone: UTC, from: 1                  | fixed-window-counter 10 per calendar month in UTC
					quota   | window: 1d                          | fixed-window-counter 10 per 1 d
					several | key: "'all'"                        | token-bucket 10 per 1 s, burst 10; token-bucket 100 per 1 h, burst 100
					several | limit: 5, window: 1m                | token-bucket 5 per 1 min, burst 5
					""")
	void numbersThatAreNotGivenStayTheAnnotations(String policy, String given, String limits) {
		runner("ratelimit: { policies: { %s: { %s } } }".formatted(policy, given), Map.of())
			.run((context) -> assertThat(policy(context.getBean(RateLimiterRegistry.class), policy).limits())
				.extracting(RateLimit::toString)
				.containsExactly(limits.split("; ")));
	}

	@Test
	void environmentVariableOverridesOneNumberOfAnAnnotation() {
		runner("", Map.of("RATELIMIT_POLICIES_QUEUE_LIMIT", "5"))
			.run((context) -> assertThat(policy(context.getBean(RateLimiterRegistry.class), "queue").limits())
				.containsExactly(RateLimit.builder(LEAKY_BUCKET)
					.limit(5)
					.window(Duration.ofSeconds(1))
					.burst(9L)
					.delay(4L)
					.build()));
	}

	@Test
	void modeIsTheAnnotationsUnlessThePolicyHasOne() {
		runner("""
				ratelimit:
				  policies: { tried: { limit: 5 }, search: { mode: shadow }, tried2: { mode: enforce } }
				""", Map.of()).run((context) -> {
			RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
			assertThat(policy(registry, "tried").mode()).isEqualTo(RateLimitMode.SHADOW);
			assertThat(policy(registry, "search").mode()).isEqualTo(RateLimitMode.SHADOW);
			assertThat(policy(registry, "tried2").mode()).isEqualTo(RateLimitMode.ENFORCE);
		});
	}

	@Test
	void ruleAndAnnotationThatNameThePolicyHaveItsNumbersToo() {
		runner("ratelimit: { policies: { search: { limit: 5 } }, rules: [{ path: /a, policy: search }] }", Map.of())
			.withBean(Naming.class)
			.run((context) -> {
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				assertThat(registry.policy("search").appliedTo()).hasSize(2);
				assertThat(policy(registry, "search").limits()).extracting(RateLimit::limit).containsExactly(5L);
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			several | limit: 5      | window
			several | window: 5m    | limit
			""")
	void numberThatSeveralLimitsCouldGiveIsMissing(String policy, String given, String missing) {
		FailedStart failed = FailedStart.ofServer("ratelimit: { policies: { %s: { %s } } }".formatted(policy, given),
				Service.class);
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies." + policy + "." + missing
					+ "' is missing. 'ratelimit.policies." + policy)
			.contains("' was set in application.yml - ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "qeue", "queu" })
	void numberThatNoAnnotationGivesIsMissingAndTheNearestNameIsSaid(String name) {
		FailedStart failed = FailedStart.of("", Map.of("RATELIMIT_POLICIES_" + name.toUpperCase() + "_LIMIT", "7"),
				RateLimitMethodAutoConfiguration.class, Declared.class);
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.policies." + name
				+ ".window' is missing. 'ratelimit.policies." + name + ".limit' was set in \"RATELIMIT_POLICIES_"
				+ name.toUpperCase() + "_LIMIT\" from property source \"systemEnvironment\".");
		assertThat(failed.action())
			.isEqualTo("Did you mean 'queue'? Set it to the duration that the permits are for, such as 1m.");
	}

	@Test
	void numberThatTheAnnotationCannotHaveIsRejected() {
		FailedStart failed = FailedStart.ofServer("ratelimit: { policies: { quota: { burst: 5 } } }", Service.class);
		assertThat(failed.description()).startsWith(
				"The property 'ratelimit.policies.quota.burst' with the value '5' is not used by the algorithm");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					algorithm: leaky-bucket | has no effect on a leaky bucket, which has a queue of its own | Remove maxWait, and set burst to how many may wait; or use token-bucket.
					mode: inform            | has no effect in the mode inform, which rejects nobody        | Remove maxWait, or set mode to enforce.
					""")
	void maxWaitThatIsOnlyInTheAnnotationIsNamedAsItIsThere(String given, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("ratelimit: { policies: { patient: { %s } } }".formatted(given),
				Service.class);
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies.patient' does not fit @RateLimited: " + "its maxWait of 2 s "
					+ reason + ".");
		assertThat(failed.action())
			.isEqualTo(action + " Or set 'ratelimit.policies.patient.max-wait' to 0, with which nobody waits.");
	}

	@Test
	void annotationOfABeanThatIsMadeAfterTheStartSaysWhatThePolicyDoesNot() {
		starting("tried: { limit: 5, window: 1s }, tried2: { limit: 5, window: 1s, mode: enforce }, "
				+ "patient: { limit: 5, window: 1s }, queue: { limit: 5, window: 2s }")
			.withBean("late", Object.class, Service::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> {
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				assertThat(policy(registry, "tried").mode()).isEqualTo(RateLimitMode.ENFORCE);
				context.getBean("late");
				assertThat(policy(registry, "tried").mode()).isEqualTo(RateLimitMode.SHADOW);
				assertThat(policy(registry, "tried").limits()).extracting(RateLimit::limit).containsExactly(5L);
				assertThat(policy(registry, "tried2").mode()).isEqualTo(RateLimitMode.ENFORCE);
				assertThat(policy(registry, "patient").maxWait()).isEqualTo(Duration.ofSeconds(2));
				assertThat(policy(registry, "queue").limits()).extracting(RateLimit::toString)
					.containsExactly("leaky-bucket 5 per 2 s, burst 9, delay 4");
				assertThat(policy(registry, "burst").limits()).extracting(RateLimit::limit).containsExactly(10L);
			});
	}

	@Test
	void annotationThatIsReadAfterTheStartLetsNobodyWaitWhoWasNotCheckedForThat(CapturedOutput output) {
		starting("patient: { limit: 5, window: 1s }, queue: { limit: 5, window: 2s }").withBean(NamingPatient.class)
			.withBean("late", Object.class, Service::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> {
				context.getBean("late");
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				assertThat(policy(registry, "patient").maxWait()).isZero();
				assertThat(policy(registry, "queue").delays()).isTrue();
				context.getBean(ConfiguredPolicies.class)
					.forEach(context.getBean(RateLimitProperties.class),
							(policy) -> assertThat(policy).isEqualTo(policy(registry, policy.name())));
			});
		assertThat(output)
			.containsOnlyOnce("The policy 'patient' stays as it is, without what @RateLimited says in addition to "
					+ "'ratelimit.policies.patient': calls would wait for up to 2 s, and those that it limits already "
					+ "were not checked for that at the start.");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					limit: 5, window: 1s                               | has the charge 'result', but the policy 'mistaken' itself has none
					limit: 5, window: 1s, mode: inform, charge: result | does not fit @RateLimited: its maxWait of 2 s has no effect in the mode inform
					""")
	void mistakeOfAnAnnotationThatIsReadAfterTheStartLeavesThePolicyAsItIs(String given, String reason) {
		starting("mistaken: { %s }".formatted(given))
			.withBean("late", Object.class, Mistaken::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> {
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				RateLimitPolicy before = policy(registry, "mistaken");
				assertThatException().isThrownBy(() -> context.getBean("late"))
					.withRootCauseInstanceOf(InvalidRateLimitException.class)
					.withStackTraceContaining(reason);
				assertThat(policy(registry, "mistaken")).isEqualTo(before);
				context.getBean(ConfiguredPolicies.class)
					.forEach(context.getBean(RateLimitProperties.class),
							(policy) -> assertThat(policy).isEqualTo(before));
			});
	}

	private static ApplicationContextRunner starting(String policies) {
		return FailedStart.starting("ratelimit: { policies: { %s } }".formatted(policies), Map.of());
	}

	private static RateLimitPolicy policy(RateLimiterRegistry registry, String name) {
		return registry.policy(name).policy();
	}

	private static ApplicationContextRunner runner(String yaml, Map<String, Object> variables) {
		return FailedStart.starting(yaml, variables).withBean(Service.class);
	}

	static class Declared {

		@Bean
		Service service() {
			return new Service();
		}

	}

	static class Naming {

		@RateLimited("search")
		public void call() {
		}

	}

	static class NamingPatient {

		@RateLimited("patient")
		public void call() {
		}

	}

	static class Mistaken {

		@RateLimited(name = "mistaken", limit = 10, window = "1m", maxWait = "2s", charge = "result")
		public void call() {
		}

	}

	static class Service {

		@RateLimited(name = "search", limit = 100, window = "1m")
		public void search() {
		}

		@RateLimited(name = "burst", limit = 10, window = "1m", burst = 20)
		public void burst() {
		}

		@RateLimited(name = "queue", algorithm = LEAKY_BUCKET, limit = 10, window = "1s", burst = 9, delay = 4)
		public void queue() {
		}

		@RateLimited(name = "quick", algorithm = LEAKY_BUCKET, limit = 10, window = "1s", burst = 9, nodelay = true)
		public void quick() {
		}

		@RateLimited(name = "log", algorithm = SLIDING_WINDOW_LOG, limit = 10, window = "1m", countRejected = true)
		public void log() {
		}

		@RateLimited(name = "quota", algorithm = FIXED_WINDOW_COUNTER, limit = 10, window = "P1M",
				zone = "Europe/Berlin", from = "15")
		public void quota() {
		}

		@RateLimited(name = "patient", limit = 10, window = "1m", maxWait = "2s")
		public void patient() {
		}

		@RateLimited(name = "several", limit = 10, window = "1s")
		@RateLimited(name = "several", limit = 100, window = "1h")
		public void several() {
		}

		@RateLimited(name = "tried", limit = 10, window = "1s", mode = RateLimitMode.SHADOW)
		public void tried() {
		}

		@RateLimited(name = "tried2", limit = 10, window = "1s", mode = RateLimitMode.SHADOW)
		public void tried2() {
		}

	}

}
