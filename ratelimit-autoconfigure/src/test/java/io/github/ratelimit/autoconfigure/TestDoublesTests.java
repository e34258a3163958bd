package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What tests put in place of annotated beans does not fail their start: doubles are not
 * limited, and spies are.
 */
@SpringBootTest(classes = { TestDoublesTests.Application.class, RateLimitAutoConfiguration.class,
		RateLimitMethodAutoConfiguration.class }, webEnvironment = WebEnvironment.NONE)
@DirtiesContext
class TestDoublesTests {

	@MockitoBean
	private Mocked mocked;

	@MockitoBean
	private Absent absent;

	@TestBean
	private Replaced replaced;

	@MockitoSpyBean
	private Spied spied;

	@Autowired
	private RateLimiterRegistry registry;

	static Replaced replaced() {
		return new Replaced();
	}

	@Test
	void doublesAreNotLimited() {
		for (int i = 0; i < 3; i++) {
			this.mocked.limited();
			this.absent.limited();
			this.replaced.limited();
		}
		Mockito.verify(this.mocked, Mockito.times(3)).limited();
		assertThat(this.registry.find("Mocked.limited")).isNotNull();
	}

	@Test
	void spiesAreLimited(@Autowired Spied limited) {
		limited.limited();
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::limited);
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Mocked mocked() {
			return new Mocked();
		}

		@Bean
		Replaced replaced() {
			return new Replaced();
		}

		@Bean
		Spied spied() {
			return new Spied();
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	static class Mocked extends Limited {

	}

	static class Absent extends Limited {

	}

	static class Replaced extends Limited {

	}

	static class Spied extends Limited {

	}

}
