package io.github.ratelimit.autoconfigure;

import com.github.benmanes.caffeine.cache.Cache;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.PolicyBinder;
import io.github.ratelimit.enforce.StoreRateLimiterRegistry;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.RateLimitStore;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for rate limits of any application: the policies, and the store that
 * holds their state.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@Conditional(RunTimeCondition.OnEnabled.class)
@EnableConfigurationProperties(RateLimitProperties.class)
public final class RateLimitAutoConfiguration {

	@Bean
	static StrictNumberBinding rateLimitStrictNumberBinding() {
		return new StrictNumberBinding();
	}

	@Bean
	static ReplacedRules rateLimitReplacedRules() {
		return new ReplacedRules();
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitClock rateLimitClock() {
		return RateLimitClock.system();
	}

	/*
	 * Does not back off: the configured policies would be ignored.
	 */
	@Bean(RunTimeSwitch.REGISTRY)
	RateLimiterRegistry rateLimiterRegistry(ObjectProvider<RateLimitStore> store,
			ObjectProvider<RateLimitListener> listeners, RateLimitProperties properties) {
		checkEnabled(properties);
		RateLimiterRegistry limiter = new StoreRateLimiterRegistry(store.getIfAvailable(() -> {
			throw properties.store().missing();
		}), listeners.orderedStream().toList());
		ConfiguredPolicies.register(properties, limiter);
		RuleValidation.check(properties);
		checkHeaders(properties);
		return limiter;
	}

	/*
	 * The condition above only recognizes "false". Without this check, "no" and "off"
	 * would have no effect.
	 */
	private static void checkEnabled(RateLimitProperties properties) {
		if (!properties.enabled()) {
			throw InvalidRateLimitException.property("ratelimit.enabled", null, "is neither true nor false",
					"Write false to turn all rate limits off.", null);
		}
	}

	private static void checkHeaders(RateLimitProperties properties) {
		int empty = properties.headers().indexOf(null);
		if (empty >= 0) {
			throw InvalidRateLimitException.property("ratelimit.headers[" + empty + "]", null, "has no value",
					"Write rate-limit, x-rate-limit or both; or nothing at all, for none.", null);
		}
	}

	@Bean
	WaitingRoom rateLimitWaitingRoom(RateLimitProperties properties, Environment environment) {
		return WaitingRooms.create(properties.waiting(), environment, getClass().getClassLoader());
	}

	@Bean
	PolicyBinder rateLimitPolicyBinder(ListableBeanFactory beanFactory, ObjectProvider<KeyResolver> keyResolver,
			RateLimitProperties properties) {
		return new PolicyBinder(beanFactory, DefaultKey.resolver(properties, keyResolver, beanFactory));
	}

	@Bean
	UnusedPolicies rateLimitUnusedPolicies(RateLimiterRegistry limiter, RateLimitProperties properties) {
		return new UnusedPolicies(limiter, properties);
	}

	@Bean
	static CacheProvider rateLimitCacheProvider() {
		return new CacheProvider();
	}

	@Bean
	StartLog rateLimitStartLog(RateLimiterRegistry limiter) {
		return new StartLog(limiter);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Cache.class)
	@ConditionalOnMissingBean(RateLimitStore.class)
	@Conditional(RunTimeCondition.OnLocalStore.class)
	static class LocalStoreConfiguration {

		@Bean
		LocalRateLimitStore rateLimitStore(RateLimitClock clock, RateLimitProperties properties) {
			return LocalStores.create(clock, properties);
		}

	}

}
