package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.test.context.ContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What is found when an application starts, on a platform or behind a proxy, too: each
 * mistake gives its code and no other, and an application without a mistake gives none.
 */
class StartFindingsTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=ratelimits";

	private static final String UNRESTRICTED = "management.endpoint.ratelimits.access=unrestricted";

	private static final String KUBERNETES = "spring.main.cloud-platform=kubernetes";

	private static final String OWN_STORE = "test.store=true";

	private static final String TRUSTED = "ratelimit.client-address.trusted-proxies=10.0.0.0/8";

	@ParameterizedTest
	@MethodSource("applications")
	void mistakeIsFoundByItsCode(List<String> properties, List<String> codes) {
		assertThat(FindingCodes.of(properties.toArray(String[]::new))).isEqualTo(codes);
	}

	static List<Arguments> applications() {
		return List.of(arguments(List.of(), List.of("RL002 login")),
				arguments(List.of(FindingCodes.OWNERS, EXPOSED), List.of()),
				arguments(List.of(FindingCodes.OWNERS, "ratelimit.rules[0].methods=GET, OPTIONS"),
						List.of("RL006 login")),
				arguments(List.of(FindingCodes.OWNERS, "ratelimits.policies.api.limit=1"), List.of("RL004 null")),
				arguments(List.of(FindingCodes.OWNERS, "spring.ratelimit.rules[0].path=/a"), List.of("RL004 null")),
				arguments(List.of(FindingCodes.OWNERS, "spring.rate-limit.policies.api.limit=1"),
						List.of("RL004 null")),
				arguments(List.of(FindingCodes.OWNERS, "rate.limit.rules[0].path=/a"), List.of("RL004 null")),
				arguments(List.of(FindingCodes.OWNERS, "ratelimiter.api.limit=1", "rate.limit=5",
						"app.ratelimit.enabled=true", "resilience4j.ratelimiter.instances.api.limit-for-period=1"),
						List.of()),
				arguments(List.of(FindingCodes.OWNERS, "ratelimit.redis.timeout=1s"), List.of("RL029 null")),
				arguments(List.of(FindingCodes.OWNERS, "ratelimit.policies.login.on-failure=reject"),
						List.of("RL029 null")),
				arguments(List.of(FindingCodes.OWNERS, "ratelimit.store=caffeine"), List.of()),
				arguments(List.of(FindingCodes.OWNERS, OWN_STORE, "ratelimit.store=redis"), List.of("RL029 null")),
				arguments(List.of(FindingCodes.OWNERS, KUBERNETES), List.of("RL009 null")),
				arguments(List.of(FindingCodes.OWNERS, "spring.main.cloud-platform=none"), List.of()),
				arguments(List.of(FindingCodes.OWNERS, KUBERNETES, OWN_STORE, EXPOSED), List.of()),
				arguments(List.of(FindingCodes.OWNERS, KUBERNETES, OWN_STORE, EXPOSED, UNRESTRICTED),
						List.of("RL008 null")),
				arguments(List.of(FindingCodes.OWNERS, TRUSTED,
						"server.tomcat.remoteip.remote-ip-header=X-Forwarded-For"), List.of("RL013 null")),
				arguments(List.of(FindingCodes.OWNERS, TRUSTED, "test.forwarded=true"), List.of("RL013 null")),
				arguments(List.of(FindingCodes.OWNERS, TRUSTED, "test.forwarded=disabled"), List.of()));
	}

	@ParameterizedTest
	@CsvSource({ "page, true, RL025 page", "simulate, true, RL025 simulate", "history, true, RL025 history",
			"pages, true,", "override, true,", "simulate, false," })
	void policyWithANameOfTheEndpointThatIsThereIsFound(String name, boolean exposed, String code) {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, exposed ? EXPOSED : "test.exposed=false",
				"ratelimit.policies." + name + ".limit=5", "ratelimit.policies." + name + ".window=1m",
				"ratelimit.rules[1].path=/owners/*/pets", "ratelimit.rules[1].policy=" + name))
			.isEqualTo((code != null) ? List.of(code) : List.of());
	}

	@ParameterizedTest
	@CsvSource({ "/**, management.server.port=", "/actuator/health, management.server.port=",
			"/actuator/{endpoint}/liveness, management.server.port=", "/**, management.server.port=0" })
	void rulesForProbesOfAPlatformAreFound(String path, String port) {
		assertThat(FindingCodes.of("ratelimit.rules[0].path=" + path, KUBERNETES, OWN_STORE, port))
			.containsExactly("RL007 login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.rules[0].methods=POST", "ratelimit.rules[0].condition=true",
			"ratelimit.rules[0].except=/actuator/health/**", "management.server.port=-1", "server.address=127.0.0.1",
			"ratelimit.policies.login.mode=shadow" })
	void rulesThatLeaveProbesOutGiveNone(String property) {
		assertThat(FindingCodes.of("ratelimit.rules[0].path=/**", KUBERNETES, OWN_STORE, property)).isEmpty();
	}

	@Test
	void ruleThatLeavesOutSomeOfTheProbesIsFoundByTheOthers() {
		assertThat(FindingCodes.of("ratelimit.rules[0].path=/**", "ratelimit.rules[0].except=/actuator/health",
				KUBERNETES, OWN_STORE))
			.containsExactly("RL007 login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoints.access.max-permitted=read-only", "management.server.port=0",
			"server.address=127.0.0.1", "spring.autoconfigure.exclude=" })
	void endpointThatNotAnybodyCanUseGivesNone(String property) {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, KUBERNETES, OWN_STORE, EXPOSED, UNRESTRICTED, property))
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(classes = { Newsletter.class, NewsletterConfiguration.class })
	void policyThatCodeMayAskIsNotFound(Class<?> asking) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(RateLimitAutoConfiguration.class,
				asking)
			.web(WebApplicationType.NONE)
			.properties(FindingCodes.POLICY)
			.run()) {
			assertThat(FindingCodes.of(context)).isEmpty();
		}
	}

	@Test
	void rulesThatNothingEnforcesAreFound() {
		assertThat(FindingCodes.of(WebApplicationType.NONE, FindingCodes.OWNERS, "ratelimit.rules[0].policy=login"))
			.containsExactly("RL003 null");
	}

	/**
	 * A test on a machine of Kubernetes, such as that of a build, which is no deployment.
	 */
	@Nested
	@SpringBootTest(classes = PetClinic.class,
			properties = { FindingCodes.WITHOUT_SECURITY, "ratelimit.policies.login.limit=5",
					"ratelimit.policies.login.window=1m", "ratelimit.rules[0].path=/**",
					"ratelimit.rules[0].policy=login", "management.endpoints.web.exposure.include=ratelimits,health" })
	@ContextConfiguration(initializers = OnKubernetes.class)
	class OnKubernetesTests {

		@Test
		void testThatRunsOnAPlatformIsNoDeployment(@Autowired ConfigurableApplicationContext context) {
			assertThat(CloudPlatform.getActive(context.getEnvironment())).isEqualTo(CloudPlatform.KUBERNETES);
			assertThat(FindingCodes.of(context)).isEmpty();
		}

		@Test
		void applicationThatRunsThereIsOne() {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(PetClinic.class)
				.initializers(new OnKubernetes())
				.properties("server.port=0", "logging.level.root=warn", FindingCodes.WITHOUT_SECURITY,
						"management.endpoints.web.exposure.include=ratelimits,health", UNRESTRICTED,
						"ratelimit.rules[0].path=/**", "ratelimit.rules[0].policy=login")
				.properties(FindingCodes.POLICY)
				.run()) {
				assertThat(FindingCodes.of(context)).containsExactlyInAnyOrder("RL007 login", "RL008 null",
						"RL009 null");
			}
		}

	}

	static class OnKubernetes implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			context.getEnvironment()
				.getPropertySources()
				.replace("systemEnvironment", new SystemEnvironmentPropertySource("systemEnvironment",
						Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1", "KUBERNETES_SERVICE_PORT", "443")));
		}

	}

	static class Newsletter {

		Newsletter(RateLimiterRegistry registry) {
		}

	}

	@Configuration
	static class NewsletterConfiguration {

		@Bean
		Runnable newsletter(RateLimiterRegistry registry) {
			return () -> registry.decide("login", "all");
		}

	}

}
