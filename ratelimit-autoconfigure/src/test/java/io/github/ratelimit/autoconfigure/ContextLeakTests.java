package io.github.ratelimit.autoconfigure;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Set;

import javax.management.ObjectName;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What closed contexts leave behind in a process that lives on: no thread and no MBean.
 */
class ContextLeakTests {

	private static final int CONTEXTS = 4;

	@Test
	void contextsThatComeAndGoLeaveNothingBehind() throws Exception {
		Set<Thread> threads = ContextProbe.threads();
		Set<ObjectName> beans = managedBeans();
		for (int i = 0; i < CONTEXTS; i++) {
			useAndClose();
			assertThat(managedBeans()).as("MBeans after context %d", i).isEqualTo(beans);
		}
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> threads.containsAll(ContextProbe.threads()));
	}

	private static void useAndClose() throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"logging.level.root=warn", "spring.jmx.enabled=true",
					"management.endpoints.jmx.exposure.include=ratelimits",
					"ratelimit.policies.queue.limits[0].algorithm=leaky-bucket",
					"ratelimit.policies.queue.limits[0].limit=50", "ratelimit.policies.queue.limits[0].window=1s",
					"ratelimit.policies.queue.limits[0].burst=10", "ratelimit.rules[0].path=/queue",
					"ratelimit.rules[0].policy=queue")
			.run()) {
			for (int i = 0; i < 3; i++) {
				assertThat(ContextProbe.status(context, "/queue")).isEqualTo(404);
			}
			Limited limited = context.getBean(Limited.class);
			limited.limited();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::limited);
			assertThat(rejected(context.getBean(MeterRegistry.class))).as("what this context has rejected")
				.isEqualTo(1);
			assertThat(managedBeans()).anyMatch((name) -> name.toString().contains("Ratelimits"));
		}
	}

	private static double rejected(MeterRegistry meters) {
		return meters.get("ratelimit.requests")
			.tags("policy", "Limited.limited", "outcome", "rejected")
			.functionCounter()
			.count();
	}

	private static Set<ObjectName> managedBeans() throws Exception {
		return ManagementFactory.getPlatformMBeanServer()
			.queryNames(new ObjectName("org.springframework.boot:*"), null);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ OpenToAll.class, Limited.class })
	static class Application {

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1h")
		public void limited() {
		}

	}

}
