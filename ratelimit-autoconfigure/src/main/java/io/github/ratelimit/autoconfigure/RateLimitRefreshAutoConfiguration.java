package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
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
@ConditionalOnBean(RateLimitAutoConfiguration.class)
public final class RateLimitRefreshAutoConfiguration {

	@Bean
	Reconfiguration rateLimitRefresh(StoreRateLimiterRegistry registry, RateLimitProperties properties,
			ConfigurableListableBeanFactory beanFactory, Environment environment, ConfiguredPolicies policies,
			RateLimitFindings findings) {
		return new Reconfiguration(registry, properties, beanFactory, environment, policies, findings);
	}

}
