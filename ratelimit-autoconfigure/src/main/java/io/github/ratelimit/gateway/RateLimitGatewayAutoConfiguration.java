package io.github.ratelimit.gateway;

import java.util.Objects;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.web.reactive.RateLimitRejections;
import io.github.ratelimit.web.reactive.ReactiveRateLimits;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.webflux.autoconfigure.WebFluxProperties;
import org.springframework.cloud.gateway.config.GatewayAutoConfiguration;
import org.springframework.cloud.gateway.config.conditional.ConditionalOnEnabledFilter;
import org.springframework.cloud.gateway.filter.factory.cache.GlobalLocalResponseCacheGatewayFilter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/**
 * Auto-configuration for Spring Cloud Gateway's server for WebFlux: policies on its
 * routes. Where rate limits are turned off, the routes are defined all the same.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration",
		before = GatewayAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(GatewayAutoConfiguration.class)
@ConditionalOnProperty(name = "spring.cloud.gateway.server.webflux.enabled", matchIfMissing = true)
@RegisterReflectionForBinding(RouteLimit.class)
public final class RateLimitGatewayAutoConfiguration {

	@Bean
	@ConditionalOnBean(PolicyBinder.class)
	RoutePolicies rateLimitRoutePolicies(RateLimiterRegistry registry, PolicyBinder binder, ReactiveRateLimits limits,
			RateLimitRejections rejections, ObjectProvider<WebFluxProperties> properties) {
		WebFluxProperties webFlux = properties.getIfAvailable(WebFluxProperties::new);
		String basePath = Objects.requireNonNullElse(webFlux.getBasePath(), "");
		limits.followRoutes((exchange) -> GatewayRoute.find(exchange, basePath));
		return new RoutePolicies(registry, binder, rejections);
	}

	@Bean
	@ConditionalOnBean(PolicyBinder.class)
	RouteBindings rateLimitRouteBindings(StoreRateLimiterRegistry registry, RateLimitFindings findings,
			ObjectProvider<GlobalLocalResponseCacheGatewayFilter> caches) {
		return new RouteBindings(registry, findings, () -> caches.stream().toList());
	}

	@Bean
	@ConditionalOnBean(PolicyBinder.class)
	@ConditionalOnClass(name = "org.springframework.cache.caffeine.CaffeineCacheManager")
	@ConditionalOnProperty(name = "spring.cloud.gateway.server.webflux.filter.local-response-cache.enabled",
			matchIfMissing = true)
	StoredResponseFilter rateLimitStoredResponseFilter(RouteBindings routes) {
		return new StoredResponseFilter(routes);
	}

	@Bean
	@ConditionalOnEnabledFilter
	RateLimitGatewayFilterFactory rateLimitGatewayFilterFactory(ObjectProvider<RoutePolicies> policies) {
		return new RateLimitGatewayFilterFactory(policies.getIfAvailable());
	}

	@Bean
	static BeanPostProcessor rateLimitGatewayRouteChecks(ObjectProvider<PolicyRateLimiter> limiter) {
		return PolicyRateLimiter.routeChecks(limiter::getIfAvailable);
	}

	/*
	 * Steps back for any other, because Gateway's filter needs one by default. Gateway's
	 * own auto-configuration, which comes later, may be excluded.
	 */
	@Bean(PolicyRateLimiter.NAME)
	@Fallback
	@ConditionalOnMissingBean(name = PolicyRateLimiter.NAME)
	PolicyRateLimiter rateLimitGatewayRateLimiter(ObjectProvider<RoutePolicies> policies,
			ObjectProvider<ConfigurationService> configuration) {
		return new PolicyRateLimiter(policies.getIfAvailable(), configuration.getIfAvailable());
	}

}
