package io.github.ratelimit.autoconfigure;

import java.util.function.Function;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.redis.RedisRateLimitStore;
import io.github.ratelimit.redis.RedisServerCheck;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration for the store in Redis, which uses the application's own connection.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = RateLimitAutoConfiguration.class,
		afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnProperty(name = "ratelimit.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "ratelimit.store", havingValue = "redis")
@ConditionalOnClass({ RedisConnectionFactory.class, RedisRateLimitStore.class })
@ConditionalOnBean(RedisConnectionFactory.class)
@ConditionalOnMissingBean(RateLimitStore.class)
@EnableConfigurationProperties(RateLimitProperties.class)
public final class RateLimitRedisAutoConfiguration {

	@Bean
	RedisRateLimitStore rateLimitStore(RedisConnectionFactory factory, RateLimitProperties properties,
			ConfiguredPolicies policies, RateLimitClock clock, ObjectProvider<LocalFallback> local,
			RedisServerCheck check, Environment environment) {
		RateLimitAutoConfiguration.checkStore(properties, RateLimitProperties.StoreType.REDIS, environment);
		check.begin();
		LocalFallback fallback = local.getIfAvailable();
		RateLimitProperties.Redis redis = properties.redis();
		ResilienceSettings settings = new ResilienceSettings(redis.timeout(), redis.retryInterval(),
				redis.rejectionMemory(), redis.instances());
		Function<RateLimitPolicy, FailureMode> modes = (policy) -> policies.onFailure(policy.name());
		Function<RateLimitPolicy, PolicyDecider> opened = (policy) -> open(policy, fallback,
				policies.onFailureProperty(policy.name()));
		KeyMemory.Provider memories = null;
		if (fallback != null) {
			memories = fallback.store().memories();
		}
		return new RedisRateLimitStore(factory, redis.keyPrefix(), settings, modes, opened, memories, clock);
	}

	@Bean
	RedisServerCheck rateLimitRedisServerCheck(RedisConnectionFactory factory,
			ObjectProvider<RateLimitFindings> provider) {
		RateLimitFindings findings = provider.getIfAvailable(RateLimitFindings::new);
		return new RedisServerCheck(factory, (misfit, text) -> findings.report(code(misfit), null, text, text));
	}

	static FindingCode code(RedisServerCheck.Misfit misfit) {
		return switch (misfit) {
			case OLD -> FindingCode.OLD_REDIS;
			case EVICTS -> FindingCode.REDIS_EVICTS;
			case EVICTS_SHORTEST -> FindingCode.REDIS_EVICTS_SHORTEST;
		};
	}

	@Bean
	RateLimitStoreAvailability rateLimitStoreAvailability(RedisRateLimitStore store) {
		return store.availability();
	}

	private static PolicyDecider open(RateLimitPolicy policy, @Nullable LocalFallback fallback, String property) {
		if (fallback == null) {
			throw InvalidRateLimitException.property(property, "local",
					"needs Caffeine, which is not on the class path",
					"Add the dependency com.github.ben-manes.caffeine:caffeine, or write allow or reject.", null);
		}
		return fallback.store().open(policy);
	}

	@Bean
	@ConditionalOnClass(name = "com.github.benmanes.caffeine.cache.Cache")
	LocalFallback rateLimitLocalFallback(RateLimitClock clock, RateLimitProperties properties) {
		return new LocalFallback(properties.caffeine().store(clock));
	}

	/**
	 * The store that decides while Redis is unavailable. Wrapped, so that it is not a
	 * bean of the type of the application's store.
	 */
	record LocalFallback(LocalRateLimitStore store) implements AutoCloseable {

		@Override
		public void close() {
			this.store.close();
		}

	}

}
