package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Set;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.test.ManualClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contexts come and go: in tests, with the developer tools, in a container, in
 * hierarchies.
 */
class ContextLifecycleTests {

	private static final String[] PROPERTIES = { "server.port=0", "server.address=127.0.0.1",
			"spring.main.banner-mode=off", "logging.level.root=warn",
			"ratelimit.policies.queue.limits[0].algorithm=leaky-bucket",
			"ratelimit.policies.queue.limits[0].limit=1000", "ratelimit.policies.queue.limits[0].window=1s",
			"ratelimit.policies.queue.limits[0].burst=1000", "ratelimit.rules[0].path=/queue",
			"ratelimit.rules[0].policy=queue" };

	@Test
	void closedContextLeavesNoThreadBehind() throws Exception {
		Set<Thread> before = ContextProbe.threads();
		try (ConfigurableApplicationContext context = server()) {
			assertThat(ContextProbe.status(context, "/queue")).isEqualTo(404);
			assertThat(ContextProbe.status(context, "/queue")).isEqualTo(404);
			assertThat(ContextProbe.threads()).extracting(Thread::getName)
				.contains("ratelimit-sweeper", "ratelimit-delays");
		}
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> before.containsAll(ContextProbe.threads()));
	}

	@Test
	void restartedContextBeginsAfresh() {
		for (int i = 0; i < 2; i++) {
			try (ConfigurableApplicationContext context = application().run()) {
				assertLimitedOnce(context);
			}
		}
	}

	@Test
	void contextsInOneProcessCountEachForItself() {
		try (ConfigurableApplicationContext one = application().run();
				ConfigurableApplicationContext other = application().run()) {
			assertLimitedOnce(one);
			assertLimitedOnce(other);
			assertThat(one.getBean(RateLimiterRegistry.class)).isNotSameAs(other.getBean(RateLimiterRegistry.class));
		}
	}

	@Test
	void childContextLimitsItsOwnBeans() {
		SpringApplicationBuilder parent = application();
		try (ConfigurableApplicationContext child = parent.child(Application.class)
			.web(WebApplicationType.NONE)
			.properties(PROPERTIES)
			.run(); ConfigurableApplicationContext ofParent = parent.context()) {
			assertThat(child.getParent()).isSameAs(ofParent);
			assertLimitedOnce(child);
		}
	}

	private static SpringApplicationBuilder application() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).properties(PROPERTIES);
	}

	private static ConfigurableApplicationContext server() {
		return new SpringApplicationBuilder(Application.class).properties(PROPERTIES).run();
	}

	private static void assertLimitedOnce(ConfigurableApplicationContext context) {
		Limited bean = context.getBean(Limited.class);
		bean.limited();
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(bean::limited);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ OpenToAll.class, Limited.class })
	static class Application {

		/* So that the second request always has to wait. */
		@Bean
		ManualClock clock() {
			return ManualClock.atMidnight();
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

}
