package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test can mock the registry of an application whose limits are turned off.
 */
@SpringBootTest(classes = { WholeApplication.class, ContextLifecycleTests.Limited.class },
		properties = { "ratelimit.enabled=false", "ratelimit.policies.login.limits[0].limit=1",
				"ratelimit.policies.login.limits[0].window=1m", "ratelimit.rules[0].path=/login",
				"ratelimit.rules[0].policy=login",
				"spring.autoconfigure.exclude="
						+ "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration" })
@DirtiesContext
class MockedRegistryTests {

	@MockitoBean
	private RateLimiterRegistry registry;

	@Test
	void nothingIsLimited(@Autowired ContextLifecycleTests.Limited limited) {
		for (int i = 0; i < 3; i++) {
			limited.limited();
		}
		assertThat(this.registry.find("login")).isNull();
	}

}
