package io.github.ratelimit.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.test.context.ContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is found where an application is deployed: on a platform, or behind a proxy.
 */
class DeploymentFindingsTests {

	private static final String KUBERNETES = "spring.main.cloud-platform=kubernetes";

	private static final String OWN_STORE = "test.store=true";

	@ParameterizedTest
	@ValueSource(strings = { "/**", "/actuator/health", "/actuator/{endpoint}/liveness" })
	void rulesForProbesOfAPlatformAreFound(String path) {
		assertThat(FindingCodes.of("ratelimit.rules[0].path=" + path, KUBERNETES, OWN_STORE))
			.containsExactly("RL007 login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.rules[0].methods=POST", "ratelimit.rules[0].condition=true",
			"management.server.port=0", "server.address=127.0.0.1", "ratelimit.policies.login.mode=shadow" })
	void rulesThatLeaveProbesOutGiveNone(String property) {
		assertThat(FindingCodes.of("ratelimit.rules[0].path=/**", KUBERNETES, OWN_STORE, property)).isEmpty();
	}

	@Test
	void endpointThatAnybodyCanUseIsFound() {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, KUBERNETES, OWN_STORE,
				"management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted"))
			.containsExactly("RL008 null");
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoints.access.max-permitted=read-only", "management.server.port=0",
			"server.address=127.0.0.1", "spring.autoconfigure.exclude=" })
	void endpointThatNotAnybodyCanUseGivesNone(String property) {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, KUBERNETES, OWN_STORE,
				"management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted", property))
			.isEmpty();
	}

	@Test
	void endpointThatCanOnlyBeReadGivesNone() {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, KUBERNETES, OWN_STORE,
				"management.endpoints.web.exposure.include=ratelimits"))
			.isEmpty();
	}

	@Test
	void localStoreOnAPlatformIsFound() {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, KUBERNETES)).containsExactly("RL009 null");
	}

	@Test
	void forwardedFieldsThatTomcatAppliesTooAreFound() {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, "ratelimit.client-address.trusted-proxies=10.0.0.0/8",
				"server.tomcat.remoteip.remote-ip-header=X-Forwarded-For"))
			.containsExactly("RL013 null");
	}

	@Test
	void forwardedFieldsThatAFilterAppliesTooAreFound() {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, "ratelimit.client-address.trusted-proxies=10.0.0.0/8",
				"test.forwarded=true"))
			.containsExactly("RL013 null");
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
						"management.endpoints.web.exposure.include=ratelimits,health",
						"management.endpoint.ratelimits.access=unrestricted", "ratelimit.rules[0].path=/**",
						"ratelimit.rules[0].policy=login")
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

}
