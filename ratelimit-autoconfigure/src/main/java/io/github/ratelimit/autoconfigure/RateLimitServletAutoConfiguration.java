package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.ClientAddressResolver;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.servlet.DelayedDispatch;
import io.github.ratelimit.web.servlet.MvcRateLimits;
import io.github.ratelimit.web.servlet.RateLimitFilter;
import io.github.ratelimit.web.servlet.RateLimitFilter.Position;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import io.github.ratelimit.web.servlet.RateLimitRejections;
import io.github.ratelimit.web.servlet.ServletRateLimits;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;

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
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
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
public final class RateLimitServletAutoConfiguration {

	/* Qualified, because applications have filters of their own by the short name. */
	private static final String FILTER = "io.github.ratelimit.RateLimitFilter";

	private static final String PROVIDER_MANAGER = "org.springframework.security.authentication.ProviderManager";

	/* Spring Boot's bean for the filter of Spring Security. */
	private static final String SECURITY = "securityFilterChainRegistration";

	/* Other filters that authenticate have any order. */
	private static final int DEFAULT_SECURITY_ORDER = -100;

	private static final List<String> PREFIXES = List.of("server.servlet.context-path", "spring.mvc.servlet.path");

	/* Spring Boot's own. */
	private static final int REQUEST_CONTEXT_ORDER = -105;

	@Bean
	ServletRateLimits servletRateLimits(Environment environment, ClientAddressResolver clientAddresses,
			RateLimitHeaders headers, RateLimiterRegistry limiter, WaitingRoom room, DelayedDispatch dispatch) {
		Duration timeout = RateLimitAutoConfiguration.requestTimeout(environment);
		return new ServletRateLimits(clientAddresses, headers, limiter, room,
				(timeout != null) ? timeout.toNanos() : Long.MAX_VALUE, dispatch);
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
	DelayedDispatch rateLimitDelayedDispatch() {
		return new DelayedDispatch();
	}

	@Bean
	ServletContextInitializer rateLimitCompletedRequests(ServletRateLimits limits, RateLimitFindings findings) {
		return (context) -> limits.listen(context, findings);
	}

	/*
	 * Never lazily, so that a mistake in a rule fails start-up.
	 */
	@Bean(RuleCompiler.BEAN_NAME)
	@Lazy(false)
	RuleCompiler rateLimitRules(StoreRateLimiterRegistry limiter, PolicyBinder binder, ServletRateLimits limits,
			@Qualifier("mvcPatternParser") ObjectProvider<PathPatternParser> parser, ApplicationContext context,
			RateLimitProperties properties) {
		return new RuleCompiler(limiter, binder, limits, parser.getIfAvailable(), context.getEnvironment(), PREFIXES)
			.begin(properties);
	}

	@Bean(FILTER)
	FilterRegistrationBean<Filter> rateLimitFilter(RuleCompiler rules, RateLimitRejections rejections,
			ApplicationContext context) {
		int security = securityOrder(context, DEFAULT_SECURITY_ORDER);
		return registration(new RateLimitFilter(Position.BEFORE_SECURITY, rejections), FILTER,
				(security > Ordered.HIGHEST_PRECEDENCE) ? security - 1 : security, DispatcherType.REQUEST,
				DispatcherType.FORWARD, DispatcherType.ASYNC, DispatcherType.ERROR);
	}

	@Bean
	@Conditional(OnRules.class)
	FilterRegistrationBean<Filter> rateLimitPrincipalFilter(RuleCompiler rules, RateLimitRejections rejections,
			ApplicationContext context) {
		int security = securityOrder(context, Ordered.LOWEST_PRECEDENCE);
		FilterRegistrationBean<Filter> registration = registration(
				new RateLimitFilter(Position.AFTER_SECURITY, rejections), "rateLimitPrincipalFilter",
				(security < Ordered.LOWEST_PRECEDENCE) ? security + 1 : security, DispatcherType.REQUEST,
				DispatcherType.FORWARD);
		boolean needed = RuleCompiler.MAY_CHANGE;
		for (RateLimitRule rule : rules.all()) {
			needed |= rule.isAfterSecurity();
		}
		registration.setEnabled(needed);
		return registration;
	}

	private static int securityOrder(ApplicationContext context, int withoutSecurity) {
		Environment environment = context.getEnvironment();
		return context.containsBean(SECURITY)
				? environment.getProperty("spring.security.filter.order", Integer.class, DEFAULT_SECURITY_ORDER)
				: withoutSecurity;
	}

	@Bean
	FilterRegistrationBean<Filter> rateLimitInnermostFilter(RateLimitRejections rejections) {
		FilterRegistrationBean<Filter> registration = registration(new RateLimitFilter(Position.INNERMOST, rejections),
				"rateLimitInnermostFilter", Ordered.LOWEST_PRECEDENCE, DispatcherType.REQUEST, DispatcherType.FORWARD,
				DispatcherType.ASYNC);
		registration.setMatchAfter(true);
		return registration;
	}

	private static FilterRegistrationBean<Filter> registration(Filter filter, String name, int order,
			DispatcherType first, DispatcherType... others) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
		registration.setName(name);
		registration.setOrder(order);
		registration.setDispatcherTypes(first, others);
		return registration;
	}

	@Bean
	@ConditionalOnClass(name = PROVIDER_MANAGER)
	static BeanPostProcessor rateLimitAuthenticationOutcomes() {
		return ServletRateLimits.authenticationOutcomes();
	}

	/**
	 * Rules may come later: when the environment is refreshed, or when an application
	 * starts that was built ahead of time.
	 */
	static final class OnRules implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return context.getEnvironment().containsProperty("ratelimit.rules[0].path") || RuleCompiler.MAY_CHANGE
					|| Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
		}

	}

}
