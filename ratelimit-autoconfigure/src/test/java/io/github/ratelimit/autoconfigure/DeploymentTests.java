package io.github.ratelimit.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The environment tells where the application runs.
 */
class DeploymentTests {

	@Test
	void platformIsKnownByItsVariables() {
		StandardEnvironment environment = new StandardEnvironment() {

			@Override
			public Map<String, Object> getSystemEnvironment() {
				return Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "443");
			}

		};
		assertThat(Deployment.platform(environment)).isEqualTo(CloudPlatform.KUBERNETES);
	}

	@Test
	void noPlatformIsNone() {
		assertThat(Deployment.platform(new MockEnvironment())).isNull();
		assertThat(Deployment.platform(new MockEnvironment().withProperty("spring.main.cloud-platform", "none")))
			.isNull();
	}

}
