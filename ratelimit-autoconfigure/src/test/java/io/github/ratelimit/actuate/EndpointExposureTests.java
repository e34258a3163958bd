package io.github.ratelimit.actuate;

import java.lang.management.ManagementFactory;
import java.util.Arrays;

import javax.management.ObjectName;

import io.github.ratelimit.autoconfigure.WholeApplication;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

class EndpointExposureTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(WholeApplication.class)
		.withPropertyValues("ratelimit.policies.login.limits[0].limit=1",
				"ratelimit.policies.login.limits[0].window=1m");

	@Test
	void nothingIsThereUnlessItIsExposed() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(RateLimitsEndpoint.class)
			.doesNotHaveBean(RateLimitsEndpointWebExtension.class));
	}

	@Test
	void nothingIsThereWithoutAccess() {
		this.runner
			.withPropertyValues("management.endpoints.web.exposure.include=*",
					"management.endpoint.ratelimits.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(RateLimitsEndpoint.class));
	}

	@Test
	void answersOverJmxWithoutBeingExposedToTheWeb() {
		this.runner
			.withPropertyValues("spring.jmx.enabled=true", "spring.jmx.default-domain=ratelimits",
					"management.endpoints.jmx.exposure.include=ratelimits",
					"management.endpoint.ratelimits.access=UNRESTRICTED")
			.run((context) -> {
				assertThat(context).hasSingleBean(RateLimitsEndpoint.class)
					.doesNotHaveBean(RateLimitsEndpointWebExtension.class);
				assertThat(invoke("rateLimits")).asString().contains("login");
				assertThat(invoke("key", "login", "me")).asString().contains("remaining=1");
				assertThat(invoke("reset", "login", "me")).asString().contains("remaining=1");
				assertThat(invoke("reset", "unknown", "me")).isNull();
				String shadow = "{\"mode\": \"shadow\", \"reason\": \"by JMX\"}";
				assertThat(invoke("override", "login", shadow, null, null, null)).asString().contains("by JMX");
				assertThat(invoke("overridden", "login", "override", null, null)).asString().contains("shadow");
				assertThat(invoke("override", "unknown", shadow, null, null, null)).isNull();
				assertThatException().isThrownBy(() -> invoke("override", "login", "{\"mod\": 1}", null, null, null))
					.withStackTraceContaining("Did you mean 'mode'?");
				assertThat(invoke("takeBack", "login", "override", null, null, null)).isNull();
				assertThat(invoke("overridden", "login", "override", null, null)).isNull();
			});
	}

	private static Object invoke(String operation, String... arguments) throws Exception {
		String[] types = new String[arguments.length];
		Arrays.fill(types, String.class.getName());
		return ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("ratelimits:type=Endpoint,name=Ratelimits"), operation, arguments, types);
	}

}
