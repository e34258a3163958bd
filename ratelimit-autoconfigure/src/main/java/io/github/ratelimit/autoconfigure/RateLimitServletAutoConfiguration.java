package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.address.AddressGates;
import io.github.ratelimit.web.address.ClientAddressResolver;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.servlet.MvcRateLimits;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import io.github.ratelimit.web.servlet.RateLimitRejections;
import io.github.ratelimit.web.servlet.ServletRateLimits;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingFilterBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.web.context.request.RequestContextListener;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.filter.RequestContextFilter;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Auto-configuration for servlet applications: the filters that enforce rules, and the
 * beans that all limits on requests share.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class,
		afterName = "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(RateLimitAutoConfiguration.class)
@Import(RateLimitFilterConfiguration.class)
public final class RateLimitServletAutoConfiguration {

	private static final String PROVIDER_MANAGER = "org.springframework.security.authentication.ProviderManager";

	private static final List<String> PREFIXES = List.of("server.servlet.context-path", "spring.mvc.servlet.path");

	/* Spring Boot's own. */
	private static final int REQUEST_CONTEXT_ORDER = -105;

	@Bean
	ServletRateLimits servletRateLimits(Environment environment, ClientAddressResolver clientAddresses,
			HeaderSettings headers, StoreRateLimiterRegistry registry, WaitingRoom room,
			ObjectProvider<McpMessages> messages) {
		Duration timeout = RateLimitAutoConfiguration.requestTimeout(environment);
		long timeoutNanos = (timeout != null) ? timeout.toNanos() : Long.MAX_VALUE;
		ServletRateLimits limits = new ServletRateLimits(clientAddresses, headers, registry, room, timeoutNanos,
				messages.getIfAvailable());
		registry.enforceAddresses(new AddressGates(clientAddresses, limits::use));
		return limits;
	}

	@Bean
	RateLimitRejections rateLimitRejections(ServletRateLimits limits,
			ObjectProvider<RateLimitRejectionHandler> handlers, ObjectProvider<MvcRateLimits> mvc,
			ObjectProvider<CorsConfigurationSource> cors) {
		return new RateLimitRejections(limits, handlers, mvc.getIfAvailable(), cors);
	}

	/*
	 * Binds the request to its thread, for the methods that are called while it is
	 * served, where neither Spring MVC nor Jersey does.
	 */
	@Bean
	@ConditionalOnMissingBean({ RequestContextListener.class, RequestContextFilter.class })
	@ConditionalOnMissingFilterBean(RequestContextFilter.class)
	FilterRegistrationBean<RequestContextFilter> rateLimitRequestContextFilter() {
		FilterRegistrationBean<RequestContextFilter> registration = new FilterRegistrationBean<>(
				new RequestContextFilter());
		registration.setOrder(REQUEST_CONTEXT_ORDER);
		return registration;
	}

	@Bean
	SmartLifecycle rateLimitDelayedDispatch(ServletRateLimits limits) {
		return limits.waiting();
	}

	/*
	 * Never lazily, so that a mistake in a rule fails start-up.
	 */
	@Bean(RuleCompiler.BEAN_NAME)
	@Lazy(false)
	RuleCompiler rateLimitRules(StoreRateLimiterRegistry registry, PolicyBinder binder, ServletRateLimits limits,
			@Qualifier("mvcPatternParser") ObjectProvider<PathPatternParser> parser, ApplicationContext context,
			RateLimitProperties properties, ObjectProvider<McpMessages> messages) {
		return new RuleCompiler(registry, binder, limits, parser.getIfAvailable(), context.getEnvironment(), PREFIXES,
				messages.getIfAvailable())
			.begin(properties);
	}

	@Bean
	@ConditionalOnClass(name = PROVIDER_MANAGER)
	static BeanPostProcessor rateLimitAuthenticationOutcomes() {
		return ServletRateLimits.authenticationOutcomes();
	}

}
