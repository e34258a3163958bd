package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.CurrentRequest;
import io.github.ratelimit.enforce.PolicyBinder;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.servlet.DeferredUploads;
import io.github.ratelimit.web.servlet.DelayedDispatch;
import io.github.ratelimit.web.servlet.ExposedHeaders;
import io.github.ratelimit.web.servlet.InnermostFilter;
import io.github.ratelimit.web.servlet.ProblemRejectionHandler;
import io.github.ratelimit.web.servlet.RateLimitFilter;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import io.github.ratelimit.web.servlet.RateLimitRejections;
import io.github.ratelimit.web.servlet.RejectionCors;
import io.github.ratelimit.web.servlet.RejectionExceptionHandlers;
import io.github.ratelimit.web.servlet.RuleEnforcement;
import io.github.ratelimit.web.servlet.RuleFilter;
import io.github.ratelimit.web.servlet.ServletCurrentRequest;
import io.github.ratelimit.web.servlet.ServletPaths;
import io.github.ratelimit.web.servlet.ServletRateLimits;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.multipart.MultipartResolver;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Auto-configuration for servlet applications: the filters that enforce rules, and the
 * beans that all limits on requests share.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({ RateLimitAutoConfiguration.class, RateLimiterRegistry.class })
public final class RateLimitServletAutoConfiguration {

	/* Qualified, because applications have filters of their own by the short name. */
	private static final String FILTER = "io.github.ratelimit.RateLimitFilter";

	private static final String DISPATCHER_SERVLET = "org.springframework.web.servlet.DispatcherServlet";

	@Bean
	RateLimitHeaders rateLimitHeaders(RateLimitProperties properties, RateLimiterRegistry limiter) {
		RateLimitHeaders headers = new RateLimitHeaders(properties.headers());
		limiter.observe((policy) -> headers.prepare(policy.policy()));
		return headers;
	}

	@Bean
	ServletRateLimits servletRateLimits(RateLimitClock clock, RateLimitProperties properties, Environment environment,
			RateLimitHeaders headers, RateLimiterRegistry limiter, WaitingRoom room) {
		return new ServletRateLimits(clock, ClientAddresses.resolver(properties.clientAddress(), environment), headers,
				properties.cors().exposeHeaders() ? ExposedHeaders.of(properties.headers()) : ExposedHeaders.none(),
				limiter, room, RequestTimeout.nanos(environment));
	}

	@Bean
	@ConditionalOnMissingBean(CurrentRequest.class)
	ServletCurrentRequest rateLimitCurrentRequest(ServletRateLimits limits) {
		return new ServletCurrentRequest(limits);
	}

	@Bean
	@ConditionalOnMissingBean(RateLimitRejectionHandler.class)
	ProblemRejectionHandler rateLimitRejectionHandler(RateLimitHeaders headers) {
		return new ProblemRejectionHandler(new RateLimitProblem(headers));
	}

	@Bean
	RateLimitRejections rateLimitRejections(ServletRateLimits limits, ObjectProvider<RateLimitRejectionHandler> handler,
			ObjectProvider<RejectionExceptionHandlers> exceptionHandlers, RejectionCors cors) {
		return new RateLimitRejections(limits, handler::getObject, exceptionHandlers.getIfAvailable(), cors);
	}

	@Bean
	@ConditionalOnMissingBean
	RejectionCors rateLimitRejectionCors(ObjectProvider<CorsConfigurationSource> sources) {
		return new RejectionCors(() -> sources.orderedStream().toList());
	}

	@Bean
	ServletPaths rateLimitServletPaths() {
		ClassLoader classLoader = getClass().getClassLoader();
		return new ServletPaths(ClassUtils.isPresent(DISPATCHER_SERVLET, classLoader)
				? ClassUtils.resolveClassName(DISPATCHER_SERVLET, classLoader) : null);
	}

	@Bean
	DelayedDispatch rateLimitDelayedDispatch() {
		return new DelayedDispatch();
	}

	@Bean(RulesByPhase.BEAN_NAME)
	RulesByPhase rateLimitRules(RateLimitProperties properties, RateLimiterRegistry limiter, PolicyBinder binder,
			@Qualifier("mvcPatternParser") ObjectProvider<PathPatternParser> parser,
			ObjectProvider<FilterOrders> orders, Environment environment) {
		UnreachableRules.check(properties, environment);
		RequestTimeout.check(properties, limiter, environment);
		return RulesByPhase.of(properties, parser.getIfAvailable(() -> PathPatternParser.defaultInstance), limiter,
				binder, orders.getIfAvailable(FilterOrders::withoutSecurity).secured());
	}

	@Bean(FILTER)
	FilterRegistrationBean<RateLimitFilter> rateLimitFilter(RulesByPhase rules, ServletPaths paths,
			ServletRateLimits limits, RateLimitRejections rejections, ObjectProvider<FilterOrders> orders) {
		RuleEnforcement enforcement = new RuleEnforcement(rules.beforeSecurity(), paths, rejections);
		return registration(new RateLimitFilter(enforcement, limits, rejections), FILTER,
				orders.getIfAvailable(FilterOrders::withoutSecurity).before(), DispatcherType.REQUEST,
				DispatcherType.FORWARD, DispatcherType.ASYNC, DispatcherType.ERROR);
	}

	@Bean(RunTimeSwitch.PRINCIPAL_FILTER)
	@Conditional(RunTimeCondition.OnRules.class)
	FilterRegistrationBean<RuleFilter> rateLimitPrincipalFilter(RulesByPhase rules, ServletPaths paths,
			ServletRateLimits limits, RateLimitRejections rejections, ObjectProvider<FilterOrders> orders) {
		RuleEnforcement enforcement = new RuleEnforcement(rules.afterSecurity(), paths, rejections);
		FilterRegistrationBean<RuleFilter> registration = registration(new RuleFilter(enforcement, limits),
				RunTimeSwitch.PRINCIPAL_FILTER, orders.getIfAvailable(FilterOrders::withoutSecurity).after(),
				DispatcherType.REQUEST, DispatcherType.FORWARD);
		registration.setEnabled(!rules.afterSecurity().isEmpty());
		return registration;
	}

	private static <F extends Filter> FilterRegistrationBean<F> registration(F filter, String name, int order,
			DispatcherType first, DispatcherType... others) {
		FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
		registration.setName(name);
		registration.setOrder(order);
		registration.setDispatcherTypes(first, others);
		return registration;
	}

	@Bean
	FilterRegistrationBean<InnermostFilter> rateLimitInnermostFilter(RulesByPhase rules, ServletPaths paths,
			RateLimitRejections rejections, DelayedDispatch dispatch,
			@Qualifier("multipartResolver") ObjectProvider<MultipartResolver> multipart) {
		RuleEnforcement enforcement = new RuleEnforcement(rules.all(), paths, rejections);
		FilterRegistrationBean<InnermostFilter> registration = registration(
				new InnermostFilter(enforcement, paths, dispatch, new DeferredUploads(multipart::getIfAvailable)), "rateLimitInnermostFilter",
				Ordered.LOWEST_PRECEDENCE, DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC);
		registration.setMatchAfter(true);
		return registration;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(SecurityFilterProperties.class)
	static class SecurityConfiguration {

		@Bean
		FilterOrders rateLimitFilterOrders(ObjectProvider<SecurityFilterProperties> security) {
			SecurityFilterProperties properties = security.getIfAvailable();
			return (properties != null) ? FilterOrders.around(properties.getOrder()) : FilterOrders.withoutSecurity();
		}

	}

}
