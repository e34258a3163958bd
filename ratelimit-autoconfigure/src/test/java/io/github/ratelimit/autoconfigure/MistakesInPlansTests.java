package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitPlanResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plans that cannot be enforced as they are written.
 */
class MistakesInPlansTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					limits: [{ limit: 0, window: 1m }]                                       | .limits[0].limit  | is out of range
					limits: [{ limit: 9, window: 1m }, { limit: 5 }]                         | .limits[1].window | is missing
					limits: [{ limit: 5, window: 40d }]                                      | .limits[0].window | is out of range
					limits: [{ limit: 5, window: 1m, delay: 1 }]                             | .limits[0].delay  | is not used by the algorithm token-bucket
					limits: [{ limit: 131057, window: 1m, algorithm: sliding-window-log }]   | .limits[0].limit  | heavier than 1 MiB
					limit: 0, window: 1m                                                     | .limit            | is out of range
					limit: 5                                                                 | .window           | is missing
					limit: 131057, window: 1m, algorithm: sliding-window-log                 | .limit            | heavier than 1 MiB
					limit: 5, window: 1m, limits: [{ limit: 5, window: 1m }]                 | .limit            | is a number of the policy's only limit
					unlimited: true, limit: 5, window: 1m                                    | .unlimited        | cannot be used together with limits
					unlimited: true, limits: [{ limit: 5, window: 1m }]                      | .unlimited        | cannot be used together with limits
					unlimited: false                                                         | ''                | has no limits, so that it is not known what the plan allows
					""")
	void aPlanIsNamedByItsFullPath(String plan, String property, String reason) {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    api:
				      limit: 5
				      window: 1m
				      plan: header('X-Plan')
				      plans:
				        free: { limit: 9, window: 1m }
				        pro: { %s }
				""".formatted(plan));
		assertThat(failed.description()).startsWith("The property 'ratelimit.policies.api.plans.pro" + property + "' ")
			.contains(reason);
		assertThat(failed.action()).isNotEmpty().endsWith(".");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					plan: header('X-Plan')                                                         | plan   | chooses among plans, but the policy has none
					plan: ' ', plans: { pro: { limit: 5, window: 1m } }                            | plan   | is blank
					plan: "'pro'", plans: { "[a/b]": { limit: 5, window: 1m } }                    | plans  | cannot name a plan
					plans: { pro: { limit: 5, window: 1m } }                                       | plans  | has plans that nobody has
					plan: "'pro'", charge: "false", plans: { pro: { limit: 5, window: 1m, algorithm: leaky-bucket, burst: 5 } } | charge | cannot be used with a leaky bucket that makes requests wait
					""")
	void aPolicyWithPlansIsNamed(String policy, String property, String reason) {
		FailedStart failed = FailedStart.of("ratelimit.policies.api: { limit: 5, window: 1m, %s }".formatted(policy));
		assertThat(failed.description()).startsWith("The property 'ratelimit.policies.api." + property + "' ")
			.contains(reason);
		assertThat(failed.action()).isNotEmpty().endsWith(".");
	}

	@ParameterizedTest
	@CsvSource({ "refresh, 999ms, is out of range", "refresh, 25h, is out of range", "timeout, -1ms, is out of range",
			"timeout, 11s, is out of range", "timeout, 100, has no unit", "maximum-size, 0, is out of range" })
	void whatIsRememberedHasBounds(String property, String value, String reason) {
		FailedStart failed = FailedStart.of("ratelimit.plans: { %s: %s }".formatted(property, value));
		assertThat(failed.description()).startsWith("The property 'ratelimit.plans." + property + "' ")
			.contains(reason);
		assertThat(failed.action()).isNotEmpty().endsWith(".");
	}

	@Test
	void plansAloneAreEnoughWhereABeanSaysWhoHasWhich() {
		runner().withBean(RateLimitPlanResolver.class, () -> (policy, key) -> "pro")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theBeanMayBeOneOfAParentContext() {
		new ApplicationContextRunner().withBean(RateLimitPlanResolver.class, () -> (policy, key) -> "pro")
			.run((parent) -> runner().withParent(parent).run((context) -> assertThat(context).hasNotFailed()));
	}

	@Test
	void twoResolversAreAMistake() {
		runner().withBean("one", RateLimitPlanResolver.class, () -> (policy, key) -> "pro")
			.withBean("two", RateLimitPlanResolver.class, () -> (policy, key) -> "pro")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("found 2"));
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class))
			.withPropertyValues("ratelimit.policies.api.limit=5", "ratelimit.policies.api.window=1m",
					"ratelimit.policies.api.plans.pro.limit=50", "ratelimit.policies.api.plans.pro.window=1m");
	}

}
