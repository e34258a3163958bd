package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.actuate.RateLimitHealthAutoConfiguration;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.redis.RedisRateLimitStore;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One property puts the state into Redis.
 */
class RedisStoreConfigurationTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RateLimitAutoConfiguration.class,
				RateLimitRedisAutoConfiguration.class, RateLimitHealthAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1", "ratelimit.policies.login.limits[0].limit=2",
				"ratelimit.policies.login.limits[0].window=1h");

	@Test
	void withoutThePropertyStateIsInThisProcess() {
		this.application.run((context) -> {
			assertThat(context).getBean(RateLimitStore.class).isInstanceOf(LocalRateLimitStore.class);
			assertThat(context).doesNotHaveBean(RateLimitStoreAvailability.class);
			assertThat(context).doesNotHaveBean(HealthIndicator.class);
		});
	}

	@Test
	void aStoreOfTheApplicationsOwnReplacesThatOfThePropertyAlsoIfItIsInThisProcess() {
		LocalRateLimitStore own = new LocalRateLimitStore(RateLimitClock.system(), 10);
		this.application.withPropertyValues("ratelimit.store=redis")
			.withBean("rateLimitStore", LocalRateLimitStore.class, () -> own)
			.run((context) -> assertThat(context).getBean(RateLimitStore.class).isSameAs(own));
	}

	@Test
	void anApplicationStartsAndLimitsBeforeRedisDoes() {
		this.application.withPropertyValues("ratelimit.store=redis").run((context) -> {
			RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
			assertThat(registry.decide("login", "ada").allowed()).isTrue();
			assertThat(registry.decide("login", "ada").allowed()).isTrue();
			RateLimitDecision third = registry.decide("login", "ada");
			assertThat(third.allowed()).isFalse();
			assertThat(third.fallback()).isTrue();
			assertThat(context.getBean(RateLimitStoreAvailability.class).isAvailable()).isFalse();
			Health health = context.getBean(HealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
			assertThat(health.getDetails()).containsEntry("decides", "local")
				.containsEntry("on-failure", "local")
				.containsKeys("failure", "outages");
		});
	}

	@Test
	void policiesThatDifferDecideByOnFailure() {
		this.application
			.withPropertyValues("ratelimit.store=redis", "ratelimit.policies.strict.limit=2",
					"ratelimit.policies.strict.window=1h", "ratelimit.policies.strict.on-failure=reject",
					"ratelimit.policies.tried.limit=2", "ratelimit.policies.tried.window=1h",
					"ratelimit.policies.tried.mode=shadow")
			.run((context) -> assertThat(context.getBean(HealthIndicator.class).health().getDetails())
				.containsEntry("decides", "on-failure")
				.containsEntry("on-failure", "on-failure"));
	}

	@Test
	void anApplicationThatNobodyAsksKnowsThatRedisIsNotThere() {
		this.application.withPropertyValues("ratelimit.store=redis")
			.run((context) -> assertThat(context.getBean(HealthIndicator.class).health().getStatus())
				.isEqualTo(Status.UNKNOWN));
	}

	@Test
	void eachOfSeveralInstancesEnforcesItsShareAlone() {
		this.application
			.withPropertyValues("ratelimit.store=redis", "ratelimit.redis.instances=3",
					"ratelimit.policies.login.limits[0].limit=7")
			.run((context) -> {
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				assertThat(registry.decide("login", "ada").allowed()).isTrue();
				assertThat(registry.decide("login", "ada").allowed()).isTrue();
				assertThat(registry.decide("login", "ada").allowed()).isFalse();
			});
	}

	@Test
	void aPolicyMayHaveAFailureModeOfItsOwn() {
		this.application
			.withPropertyValues("ratelimit.store=redis", "ratelimit.redis.on-failure=allow",
					"ratelimit.policies.login.on-failure=reject", "ratelimit.policies.other.limits[0].limit=1",
					"ratelimit.policies.other.limits[0].window=1h")
			.run((context) -> {
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				assertThat(registry.decide("login", "ada").unavailable()).isTrue();
				assertThat(registry.decide("other", "ada").allowed()).isTrue();
				assertThat(registry.decide("other", "ada").allowed()).isTrue();
			});
	}

	@Test
	void withoutSpringDataRedisItIsAnErrorThatSaysWhatToAdd() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitRedisAutoConfiguration.class))
			.withPropertyValues("ratelimit.store=redis")
			.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidRateLimitException.class, (failure) -> assertThat(failure.action())
					.contains("org.springframework.boot:spring-boot-starter-data-redis")));
	}

	@Test
	void withoutOurStoreForItIsAnErrorThatSaysWhatIsMissing() {
		this.application.withPropertyValues("ratelimit.store=redis")
			.withClassLoader(new FilteredClassLoader(RedisRateLimitStore.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidRateLimitException.class, (failure) -> {
					assertThat(failure).hasMessageContaining("ratelimit-redis is not on the class path");
					assertThat(failure.action()).contains("io.github.ratelimit:ratelimit-redis");
				}));
	}

	@Test
	void withoutCaffeineTheLocalFailureModeIsAnErrorThatSaysWhatToWrite() {
		ApplicationContextRunner withoutCaffeine = this.application.withPropertyValues("ratelimit.store=redis")
			.withClassLoader(new FilteredClassLoader(com.github.benmanes.caffeine.cache.Cache.class));
		withoutCaffeine.withPropertyValues("ratelimit.policies.api.limit=5", "ratelimit.policies.api.window=1m")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("The property 'ratelimit.redis.on-failure' with the value 'local'")
				.satisfies((ex) -> assertThat(String.valueOf(ex)).doesNotContain("api.ratelimit")));
		withoutCaffeine
			.withPropertyValues("ratelimit.redis.on-failure=allow", "ratelimit.policies.api.limit=5",
					"ratelimit.policies.api.window=1m", "ratelimit.policies.api.on-failure=local")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("The property 'ratelimit.policies.api.on-failure' with the value 'local'"));
		withoutCaffeine.withPropertyValues("ratelimit.redis.on-failure=allow")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "key-prefix=a b", "key-prefix={a}", "key-prefix=", "timeout=0", "timeout=2m",
			"retry-interval=0", "rejection-memory=-1s", "instances=0" })
	void aSettingThatCannotBeIsAnErrorThatNamesIt(String setting) {
		this.application.withPropertyValues("ratelimit.store=redis", "ratelimit.redis." + setting)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("ratelimit.redis." + setting.substring(0, setting.indexOf('='))));
	}

	@Test
	void anApplicationsOwnStoreWins() {
		this.application.withPropertyValues("ratelimit.store=redis")
			.withBean(RateLimitStore.class, () -> new LocalRateLimitStore(System::nanoTime, 10))
			.run((context) -> assertThat(context).doesNotHaveBean(RedisRateLimitStore.class));
	}

}
