package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for Spring Cloud: policies and rules follow the properties of a
 * refreshed environment.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnClass(EnvironmentChangeEvent.class)
@ConditionalOnBean({ RateLimitAutoConfiguration.class, RateLimiterRegistry.class })
public final class RateLimitRefreshAutoConfiguration {

	@Bean
	ApplicationListener<EnvironmentChangeEvent> rateLimitRefresh(RateLimiterRegistry limiter,
			RateLimitProperties properties, ConfigurableListableBeanFactory beanFactory, Environment environment,
			PlanResolvers resolvers, AnnotatedNumbers annotated, ObjectProvider<RulesInForce> rules) {
		return (limiter instanceof StoreRateLimiterRegistry registry) ? new Refresh(
				new Reconfiguration(registry, properties, beanFactory, environment, resolvers, annotated, rules))
				: (event) -> {
				};
	}

	/*
	 * A placeholder may be what has changed, so that no name under ratelimit need be.
	 */
	private record Refresh(Reconfiguration reconfiguration) implements ApplicationListener<EnvironmentChangeEvent> {

		@Override
		public void onApplicationEvent(EnvironmentChangeEvent event) {
			this.reconfiguration.apply();
		}

	}

}
