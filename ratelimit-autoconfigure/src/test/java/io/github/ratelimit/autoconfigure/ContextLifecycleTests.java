package io.github.ratelimit.autoconfigure;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import javax.management.ObjectName;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.test.ManualClock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

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
	void closedContextsLeaveNoThreadAndNoManagedBeanBehind() throws Exception {
		Set<Thread> before = threads();
		Set<ObjectName> beans = managedBeans();
		for (int i = 0; i < 2; i++) {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
				.properties(PROPERTIES)
				.properties("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=ratelimits")
				.run()) {
				RestTestClient client = RestTestClient.bindToServer()
					.baseUrl("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"))
					.build();
				client.get().uri("/queue").exchange().expectStatus().isNotFound();
				client.get().uri("/queue").exchange().expectStatus().isNotFound();
				assertThat(threads()).extracting(Thread::getName).contains("ratelimit-sweeper", "ratelimit-delays");
				assertLimitedOnce(context);
				assertThat(context.getBean(MeterRegistry.class)
					.get("ratelimit.requests")
					.tags("policy", "Limited.limited", "outcome", "rejected")
					.functionCounter()
					.count()).as("what this context has rejected").isEqualTo(1);
				assertThat(managedBeans()).anyMatch((name) -> name.toString().contains("Ratelimits"));
			}
			assertThat(managedBeans()).as("MBeans after context %d", i).isEqualTo(beans);
		}
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> before.containsAll(threads()));
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

	@Test
	void whatInstancesShareIsReadAgainAndAgain() {
		AtomicInteger reads = new AtomicInteger();
		RateLimitStore store = mock();
		SharedOverrides shared = mock();
		given(store.name()).willReturn("shared");
		given(store.sharedOverrides()).willReturn(shared);
		given(shared.read(anyLong()))
			.willAnswer((call) -> new SharedOverrides.Snapshot(reads.incrementAndGet(), 0, Map.of()));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class))
			.withBean(RateLimitStore.class, () -> store)
			.run((context) -> Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> reads.get() > 2));
	}

	private static SpringApplicationBuilder application() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).properties(PROPERTIES);
	}

	/* The threads of ours, of all contexts. */
	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("ratelimit-"))
			.collect(Collectors.toSet());
	}

	private static Set<ObjectName> managedBeans() throws Exception {
		return ManagementFactory.getPlatformMBeanServer()
			.queryNames(new ObjectName("org.springframework.boot:*"), null);
	}

	static void assertLimitedOnce(ApplicationContext context) {
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

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

}
