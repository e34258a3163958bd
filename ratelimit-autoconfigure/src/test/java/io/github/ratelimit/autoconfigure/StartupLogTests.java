package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nothing that is configured and does nothing goes without a word, and whatever works
 * says none.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupLogTests {

	private static final String[] RULE = { "ratelimit.policies.login.limit=5", "ratelimit.policies.login.window=1m",
			"ratelimit.rules[0].path=/login", "ratelimit.rules[0].policy=login" };

	@Test
	void applicationWithoutRulesStartsSilently(CapturedOutput output) {
		start(WebApplicationType.SERVLET);
		assertThat(output).containsIgnoringCase("Tomcat started")
			.doesNotContainIgnoringCase("ratelimit")
			.doesNotContain("WARN", "BeanPostProcessor");
	}

	@Test
	void limitsAreToldOfInOneLine(CapturedOutput output) {
		start(WebApplicationType.SERVLET, RULE);
		assertThat(output.getAll().lines().filter((line) -> line.contains(" i.g.r."))).hasSize(1);
		assertThat(output).contains("INFO").contains("Rate limits: 1 policy, store: caffeine");
	}

	@Test
	void whatIsOnlyInShadowIsToldApartAndIsApplied(CapturedOutput output) {
		start(WebApplicationType.SERVLET, StringUtils.addStringToArray(RULE, "ratelimit.policies.login.mode=shadow"));
		assertThat(output).contains("Rate limits: 1 policy (1 only in shadow), store: caffeine")
			.doesNotContain("No rule", "Nothing enforces");
	}

	private static void start(WebApplicationType type, String... properties) {
		new SpringApplicationBuilder(WholeApplication.class).web(type)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"spring.main.log-startup-info=false")
			.properties(properties)
			.run()
			.close();
	}

}
