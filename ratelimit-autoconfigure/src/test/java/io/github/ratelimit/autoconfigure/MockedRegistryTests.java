package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test can mock the registry of an application whose limits are turned off.
 */
@SpringBootTest(properties = { "ratelimit.enabled=false", "ratelimit.policies.login.limits[0].limit=1",
		"ratelimit.policies.login.limits[0].window=1m", "ratelimit.rules[0].path=/login",
		"ratelimit.rules[0].policy=login",
		"spring.autoconfigure.exclude="
				+ "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration" })
@DirtiesContext
class MockedRegistryTests {

	@MockitoBean
	private RateLimiterRegistry registry;

	@Test
	void nothingIsLimited(@Autowired Limited limited) {
		for (int i = 0; i < 3; i++) {
			assertThat(limited.call()).isEqualTo("called");
		}
		assertThat(this.registry.find("login")).isNull();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Limited limited() {
			return new Limited();
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1m")
		public String call() {
			return "called";
		}

	}

}
