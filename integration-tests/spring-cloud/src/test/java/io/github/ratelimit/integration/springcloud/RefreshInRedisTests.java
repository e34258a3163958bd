package io.github.ratelimit.integration.springcloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.integration.fixtures.LocalRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a refreshed environment means for two instances that share a Redis server.
 */
@Timeout(120)
class RefreshInRedisTests {

	private static final String YAML = """
			ratelimit:
			  store: redis
			  policies:
			    annotated: {key: "'all'", limit: 5, algorithm: fixed-window-counter, window: P1Y, zone: UTC}
			""";

	@TempDir
	private Path directory;

	private LocalRedis redis;

	private ConfigurableApplicationContext one;

	private ConfigurableApplicationContext two;

	@BeforeEach
	void start() throws IOException {
		this.redis = LocalRedis.start();
		this.one = start("one");
		this.two = start("two");
		await().atMost(Duration.ofMinutes(1))
			.until(() -> !policies(this.one).decide("annotated", "of the start").fallback());
		await().atMost(Duration.ofMinutes(1))
			.until(() -> !policies(this.two).decide("annotated", "of the start").fallback());
	}

	@AfterEach
	void stop() throws IOException {
		this.one.close();
		this.two.close();
		this.redis.close();
	}

	@Test
	void instanceThatIsRefreshedKeepsWhatBothHaveTaken() throws IOException {
		policies(this.one).decide("annotated", "ada");
		policies(this.two).decide("annotated", "ada");
		refresh(this.one, "one", YAML.replace("limit: 5", "limit: 8"));
		assertThat(policies(this.one).decide("annotated", "ada").remaining()).isEqualTo(5);
		assertThat(policies(this.two).decide("annotated", "ada").remaining()).isEqualTo(1);
		refresh(this.two, "two", YAML.replace("limit: 5", "limit: 8"));
		assertThat(policies(this.two).decide("annotated", "ada").remaining()).isEqualTo(3);
	}

	@Test
	void overrideOfAnotherInstanceIsInForceUnderTheRefreshedLimits() throws IOException {
		refresh(this.one, "one", YAML.replace("limit: 5", "limit: 8"));
		policies(this.two).overrides()
			.put(RateLimitOverride.of("annotated").key("ada").mode(RateLimitMode.SHADOW).build());
		await().atMost(Duration.ofMinutes(1)).until(() -> policies(this.one).overrides().inForce().size() == 1);
		RateLimitShadow shadow = policies(this.one).policy("annotated").shadow();
		await().atMost(Duration.ofMinutes(1)).until(() -> {
			assertThat(policies(this.one).decide("annotated", "ada").allowed()).isTrue();
			return shadow.count(RateLimitOutcome.REJECTED) > 0;
		});
		// an answer in shadow that takes more than a second is not counted
		assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isBetween(6L, 8L);
	}

	@Test
	void whatIsToDecideForANewPolicyWhileRedisCannotDoes() throws IOException {
		refresh(this.one, "one", YAML + """
				    logins: {key: "'all'", limit: 5, window: 15m, on-failure: reject}
				    pages: {key: "'all'", limit: 5, window: 15m}
				""");
		assertThat(policies(this.one).decide("logins", "ada").allowed()).isTrue();
		this.redis.close();
		await().atMost(Duration.ofMinutes(1)).until(() -> !policies(this.one).decide("logins", "ada").allowed());
		assertThat(policies(this.one).decide("pages", "ada").allowed()).isTrue();
	}

	@Test
	void whatDecidesForAnAnnotatedPolicyWhileRedisCannotNeedsARestart() throws IOException {
		refresh(this.one, "one", YAML + "    described: {limit: 0, window: 1h, on-failure: reject}\n");
		refresh(this.one, "one", YAML + "    described: {limit: 7, window: 1h, on-failure: reject}\n");
		assertThat(policies(this.one).decide("described", "ada").remaining()).isEqualTo(6);
		this.redis.close();
		await().atMost(Duration.ofMinutes(1)).until(() -> policies(this.one).decide("described", "eve").fallback());
		assertThat(policies(this.one).decide("described", "bob").allowed()).isTrue();
	}

	private static RateLimiterRegistry policies(ConfigurableApplicationContext instance) {
		return instance.getBean(RateLimiterRegistry.class);
	}

	private Path file(String instance) {
		return this.directory.resolve(instance + ".yml");
	}

	private ConfigurableApplicationContext start(String instance) throws IOException {
		Path file = Files.writeString(file(instance), YAML);
		return SpringApplication.run(Application.class, "--spring.config.location=" + file.toUri(), "--server.port=0",
				"--" + this.redis.property(), "--ratelimit.redis.timeout=10s", "--spring.main.banner-mode=off");
	}

	private void refresh(ConfigurableApplicationContext context, String instance, String yaml) throws IOException {
		Files.writeString(file(instance), yaml);
		context.getBean(ContextRefresher.class).refresh();
	}

}
