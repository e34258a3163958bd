package io.github.ratelimit.actuate;

import java.time.Duration;
import java.time.Instant;

import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an instance is called, and since when it runs.
 */
class RunningInstanceTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final MockEnvironment environment = new MockEnvironment().withProperty("HOSTNAME", "shop-7f9c");

	private final RunningInstance instance = new RunningInstance(this.environment, this.clock);

	@Test
	void hasTheNameThatItIsGiven() {
		this.environment.setProperty("ratelimit.instance", " shop-1 ");
		this.environment.setProperty("local.server.port", "8080");
		assertThat(this.instance.name()).isEqualTo("shop-1");
	}

	@Test
	void isElseCalledByItsHostAndPort() {
		this.environment.setProperty("local.server.port", "8080");
		assertThat(this.instance.name()).isEqualTo("shop-7f9c:8080");
	}

	@Test
	void isElseCalledByItsHostAndProcess() {
		assertThat(this.instance.name()).isEqualTo("shop-7f9c, process " + ProcessHandle.current().pid());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " " })
	void asksTheSystemWhereTheEnvironmentHasNoHost(String host) {
		this.environment.setProperty("HOSTNAME", host);
		this.environment.setProperty("local.server.port", "8080");
		assertThat(this.instance.name()).matches(".+:8080");
	}

	@Test
	void keepsItsNameOnceItListens() {
		assertThat(this.instance.name()).doesNotContain("8080");
		assertThat(this.instance.isNamed()).isFalse();
		this.environment.setProperty("local.server.port", "8080");
		this.instance.onApplicationEvent(refreshed(new MockEnvironment()));
		assertThat(this.instance.isNamed()).as("that was another context").isFalse();
		this.instance.onApplicationEvent(refreshed(this.environment));
		assertThat(this.instance.isNamed()).isTrue();
		assertThat(this.instance.name()).isEqualTo("shop-7f9c:8080");
		this.environment.setProperty("local.server.port", "8081");
		assertThat(this.instance.name()).isEqualTo("shop-7f9c:8080");
	}

	static ContextRefreshedEvent refreshed(ConfigurableEnvironment environment) {
		GenericApplicationContext context = new GenericApplicationContext();
		context.setEnvironment(environment);
		return new ContextRefreshedEvent(context);
	}

	@Test
	void runsSinceItWasCreated() {
		this.clock.advance(Duration.ofMinutes(3));
		assertThat(this.instance.startedAt()).isEqualTo(Instant.parse("2026-03-05T00:00:00Z"));
		assertThat(this.instance.moment()).isEqualTo(Instant.parse("2026-03-05T00:03:00Z"));
	}

}
