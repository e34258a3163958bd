package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.web.reactive.ReactiveRateLimits;
import io.github.ratelimit.web.servlet.MvcRateLimits;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Auto-configuration for applications whose rate limits are turned off: a
 * {@link RateLimiterRegistry} that allows all requests.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnProperty(name = "ratelimit.enabled", havingValue = "false")
public final class RateLimitSwitchAutoConfiguration {

	private static final Log logger = LogFactory.getLog(RateLimitSwitchAutoConfiguration.class);

	@Bean
	@ConditionalOnMissingBean
	RateLimitClock rateLimitClock() {
		return RateLimitClock.system();
	}

	@Bean(RateLimitAutoConfiguration.REGISTRY)
	@ConditionalOnMissingBean
	RateLimiterRegistry rateLimiterRegistry(RateLimitClock clock) {
		logger.warn("Rate limits are turned off, because ratelimit.enabled is false: annotations and rules have no "
				+ "effect, and RateLimiterRegistry allows all requests.");
		return StoreRateLimiterRegistry.unlimited(clock);
	}

	@Bean
	@Lazy
	RateLimitInfo rateLimitInfo(RateLimiterRegistry registry) {
		return AcquisitionEntry.info(List::of, registry);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass(name = "org.springframework.web.servlet.config.annotation.WebMvcConfigurer")
	static class MvcArguments {

		@Bean
		WebMvcConfigurer rateLimitArguments(ObjectProvider<RateLimitInfo> info) {
			return new WebMvcConfigurer() {

				@Override
				public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
					resolvers.add(MvcRateLimits.argumentResolver((request) -> info.getObject()));
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass(name = "org.springframework.web.reactive.config.WebFluxConfigurer")
	static class ReactiveArguments {

		@Bean
		WebFluxConfigurer rateLimitArguments(ObjectProvider<RateLimitInfo> info) {
			return new WebFluxConfigurer() {

				@Override
				public void configureArgumentResolvers(ArgumentResolverConfigurer resolvers) {
					resolvers.addCustomResolver(ReactiveRateLimits.argumentResolver((exchange) -> info.getObject()));
				}

			};
		}

	}

}
