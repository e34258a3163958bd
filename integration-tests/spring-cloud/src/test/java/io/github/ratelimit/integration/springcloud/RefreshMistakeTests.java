package io.github.ratelimit.integration.springcloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.properties.ConfigurationPropertiesRebinder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Changes of the file that are invalid, or that need a restart, change nothing.
 */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class RefreshMistakeTests extends RefreshedApplication {

	private static final String PROPERTIES = "ratelimit-io.github.ratelimit.autoconfigure.RateLimitProperties";

	@Test
	void whatIsInvalidChangesNothingAndIsToldAsAtTheStart(CapturedOutput output) throws Exception {
		String rules = """
				  rules:
				  - {path: /ruled, policy: api}
				""";
		start(POLICIES + rules);
		for (String invalid : List.of(POLICIES.replace("limit: 100", "limit: 0") + rules,
				POLICIES.replace("window: 1h", "window: soon") + rules,
				POLICIES.replace("limit: 100", "limit: 200") + rules.replace("policy: api", "policy: ape"),
				POLICIES.replace("limit: 100", "limit: 200") + rules.replace("/ruled", "\"/{ruled\""),
				POLICIES.replace("limit: 100", "limit: 200")
						+ rules.replace("policy: api", "policy: api, key: \"header('X\""),
				POLICIES.replace("limit: 100", "limit: 200") + rules.replace("policy: api", "policy: api, cost: 201"),
				POLICIES.replace("limit: 100", "limit: 200")
						+ rules.replace("policy: api", "policy: api, key: \"pathVariable('id')\""),
				POLICIES.replace("limit: 100", "limit: 200") + rules + "  waiting: {maximum: -1}\n",
				POLICIES.replace("limit: 100", "limit: 200") + "  rules: {first: {path: /ruled, policy: api}}\n",
				POLICIES.replace("limit: 100", "limit: 200") + rules.replace("policy: api", "policy: api, cost: [2]"),
				POLICIES.replace("limit: 100", "limit: {a: 200}") + rules,
				POLICIES.replace("limit: 100", "limit: 1, burst: 3, algorithm: leaky-bucket") + rules
						+ "spring.mvc.async.request-timeout: 1s\n")) {
			int before = output.getAll().length();
			refresh(invalid);
			String told = output.getAll().substring(before);
			assertThat(limit("/ruled")).isEqualTo("100");
			assertThat(told)
				.containsOnlyOnce("Rate limits stay as they are, because the changed configuration is invalid")
				.doesNotContain("Rate limits have changed");
			assertThat(policies().policy("api").appliedTo()).containsExactly("rule /ruled");
			assertToldAtTheStart(invalid, told, output);
		}
		refresh(POLICIES.replace("limit: 100", "limit: 300") + rules.replace("policy: api", "policy: api, cost: 300"));
		assertThat(limit("/ruled")).isEqualTo("300");
	}

	@Test
	void whatFailedRefreshesHavePreparedIsTakenByTheNext() throws Exception {
		start(POLICIES);
		String late = POLICIES + "    late: {limit: 1, window: 1h}\n";
		for (int i = 0; i < 3; i++) {
			refresh(late + "  rules: [{path: /ruled, policy: lane}]\n");
		}
		refresh(late + "  rules: [{path: /ruled, policy: late}]\n");
		assertThat(limit("/ruled")).isEqualTo("1");
		StoreRateLimiterRegistry registry = this.context.getBean(StoreRateLimiterRegistry.class);
		assertThat(registry.policy("late").alias()).isEqualTo("p" + registry.policies().size());
	}

	@Test
	void anUnknownPropertyIsNamedAndChangesNothing(CapturedOutput output) throws Exception {
		start(POLICIES);
		refresh(POLICIES.replace("limit: 100", "limt: 200"));
		assertThat(output)
			.containsOnlyOnce("Rate limits stay as they are, because the changed configuration is invalid. "
					+ "The property 'ratelimit.policies.api.limt' is not known. ")
			.doesNotContain("Rate limits have changed")
			.doesNotContain("ConfigurationPropertiesBindException");
	}

	private void assertToldAtTheStart(String invalid, String told, CapturedOutput output) throws IOException {
		int before = output.getAll().length();
		Path file = Files.writeString(this.directory.resolve("invalid.yml"), invalid);
		assertThatThrownBy(() -> run(file)).isNotNull();
		String start = output.getAll().substring(before);
		String description = between(start, "Description:", "Action:");
		String action = start.substring(start.indexOf("Action:") + "Action:".length()).strip();
		assertThat(told.replace("application.yml", "invalid.yml")).contains(description + " " + action);
	}

	private static String between(String text, String begin, String end) {
		return text.substring(text.indexOf(begin) + begin.length(), text.indexOf(end)).strip();
	}

	@Test
	void aFirstRuleThatCouldBeBypassedIsRejected(CapturedOutput output) throws Exception {
		String strategy = "spring.mvc.pathmatch.matching-strategy: ant_path_matcher\n";
		start(strategy + ANNOTATED);
		refresh(strategy + ANNOTATED + """
				  rules:
				  - {path: /ruled, policy: annotated}
				""");
		assertThat(output).contains("Rate limits stay as they are", "matches paths as text");
		assertThat(limit("/ruled")).isNull();
	}

	@Test
	void whatNeedsARestartIsSaidOnceEach(CapturedOutput output) throws Exception {
		start(POLICIES);
		String changed = POLICIES.replace("key: principal.name", "key: clientAddress, ban: {after: 2}")
			.replace("    api: {key: \"'all'\", limit: 100, window: 1h}\n", "") + """
					  waiting: {maximum: 7}
					  redis: {timeout: 1s}
					  advice: {enabled: true}
					""";
		refresh(changed);
		for (String property : List.of("ratelimit.policies.user.key", "ratelimit.policies.user.ban",
				"ratelimit.policies.api", "ratelimit.waiting.maximum", "ratelimit.redis.timeout",
				"ratelimit.advice.enabled")) {
			assertThat(output).containsOnlyOnce("The property '" + property + "' ");
		}
		assertThat(output.getAll().split("needs a restart", -1)).hasSize(7);
		refresh(changed.replace("limit: 2,", "limit: 3,"));
		assertThat(output.getAll().split("needs a restart", -1)).hasSize(7);
		assertThat(limit("/annotated")).isEqualTo("3");
		assertThat(policies().policy("user").policy().key()).isEqualTo("principal.name");
		assertThat(policies().find("api")).isNotNull();
	}

	@Test
	void whatAnAnnotatedPolicyCannotBeGivenLaterIsSaidOnceEach(CapturedOutput output) throws Exception {
		start(ANNOTATED);
		String described = ANNOTATED + """
				    described: {limit: 7, window: 1h, key: clientAddress, ban: {after: 2}, on-failure: reject}
				""";
		refresh(described);
		assertThat(limit("/described")).isEqualTo("7");
		for (String property : List.of("key", "ban", "on-failure")) {
			assertThat(output).containsOnlyOnce("The property 'ratelimit.policies.described." + property + "' ");
		}
		refresh(described.replace("limit: 7", "limit: 8"));
		assertThat(limit("/described")).isEqualTo("8");
		assertThat(output.getAll().split("needs a restart", -1)).hasSize(4);
	}

	@Test
	void waitOfAnnotatedMethodsNeedsARestart(CapturedOutput output) throws Exception {
		start(ANNOTATED);
		refresh(ANNOTATED.replace("limit: 2,", "limit: 2, algorithm: leaky-bucket, burst: 3,"));
		assertThat(output)
			.contains("The property 'ratelimit.policies.annotated' has changed so that calls of annotated "
					+ "methods would wait, which needs a restart.");
		assertThat(limit("/annotated")).isEqualTo("2");
	}

	@Test
	void propertiesOfTheStartAreNeitherReplacedNorChangedByTheRebinder() throws Exception {
		start(ANNOTATED);
		assertThat(this.context.containsBean("rateLimitRefresh")).isTrue();
		Object properties = this.context.getBean(PROPERTIES);
		RateLimiterRegistry policies = policies();
		assertThat(this.context.getBean(ConfigurationPropertiesRebinder.class).getBeanNames()).contains(PROPERTIES);
		refresh(ANNOTATED.replace("limit: 2,", "limit: 9,"));
		assertThat(this.context.getBean(PROPERTIES)).isSameAs(properties)
			.extracting("policies", InstanceOfAssertFactories.MAP)
			.extractingByKey("annotated")
			.extracting("limit")
			.isEqualTo(2L);
		assertThat(policies()).isSameAs(policies);
		assertThat(limit("/annotated")).isEqualTo("9");
	}

}
