package io.github.ratelimit.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.PolicyNames;
import io.github.ratelimit.web.ResetFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Properties beside a list, under the list's name.
 */
class HeaderPropertiesTests {

	@ParameterizedTest
	@ValueSource(strings = { """
			ratelimit:
			  headers: [ x-rate-limit ]
			  headers.reset: epoch
			  headers.policy-names: short
			""", """
			ratelimit.headers: x-rate-limit
			ratelimit.headers.reset: epoch
			ratelimit.headers.policy-names: short
			""" })
	void aListHasPropertiesBesideIt(String yaml) throws Exception {
		RateLimitProperties properties = bind(yaml);
		assertThat(properties.headers()).containsExactly(HeaderFamily.X_RATE_LIMIT);
		assertThat(properties.headersReset()).isEqualTo(ResetFormat.EPOCH);
		assertThat(properties.headersPolicyNames()).isEqualTo(PolicyNames.SHORT);
	}

	@Test
	void theyAreSetWithoutTheList() throws Exception {
		RateLimitProperties properties = bind("""
				ratelimit:
				  headers:
				    policy-names: none
				""");
		assertThat(properties.headers()).containsExactly(HeaderFamily.RATE_LIMIT, HeaderFamily.X_RATE_LIMIT);
		assertThat(properties.headersReset()).isEqualTo(ResetFormat.SECONDS);
		assertThat(properties.headersPolicyNames()).isEqualTo(PolicyNames.NONE);
	}

	@Test
	void environmentVariablesOverrideThemWithoutTouchingTheList() throws Exception {
		RateLimitProperties properties = bind("""
				ratelimit.headers: x-rate-limit
				ratelimit.headers.reset: seconds
				""", Map.of("RATELIMIT_HEADERS_RESET", "epoch", "RATELIMIT_HEADERS_POLICYNAMES", "none"));
		assertThat(properties.headers()).containsExactly(HeaderFamily.X_RATE_LIMIT);
		assertThat(properties.headersReset()).isEqualTo(ResetFormat.EPOCH);
		assertThat(properties.headersPolicyNames()).isEqualTo(PolicyNames.NONE);
	}

	@Test
	void environmentVariableOverridesTheListWithoutTouchingThem() throws Exception {
		RateLimitProperties properties = bind("""
				ratelimit.headers: x-rate-limit
				ratelimit.headers.reset: epoch
				""", Map.of("RATELIMIT_HEADERS", "rate-limit"));
		assertThat(properties.headers()).containsExactly(HeaderFamily.RATE_LIMIT);
		assertThat(properties.headersReset()).isEqualTo(ResetFormat.EPOCH);
	}

	private static RateLimitProperties bind(String yaml) throws Exception {
		return bind(yaml, Map.of());
	}

	private static RateLimitProperties bind(String yaml, Map<String, Object> variables) throws Exception {
		StandardEnvironment environment = new StandardEnvironment();
		FailedStart.setVariables(environment, variables);
		new YamlPropertySourceLoader().load("yaml", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
			.forEach(environment.getPropertySources()::addLast);
		return Binder.get(environment).bindOrCreate("ratelimit", RateLimitProperties.class);
	}

}
