package io.github.ratelimit.autoconfigure;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.expression.CurrentRequest;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.servlet.DelayedDispatch;
import io.github.ratelimit.web.servlet.DelayedHandlerAdapter;
import io.github.ratelimit.web.servlet.DelayedRequestFilter;
import io.github.ratelimit.web.servlet.HandlerMappingCorsSource;
import io.github.ratelimit.web.servlet.MvcRejectionHandlers;
import io.github.ratelimit.web.servlet.ProblemRejectionHandler;
import io.github.ratelimit.web.servlet.RateLimitExceptionResolver;
import io.github.ratelimit.web.servlet.RateLimitFilter;
import io.github.ratelimit.web.servlet.RateLimitHandlerInterceptor;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import io.github.ratelimit.web.servlet.RateLimitRejections;
import io.github.ratelimit.web.servlet.RejectionCors;
import io.github.ratelimit.web.servlet.RejectionExceptionHandlers;
import io.github.ratelimit.web.servlet.ServletCurrentRequest;
import io.github.ratelimit.web.servlet.ServletPaths;
import io.github.ratelimit.web.servlet.ServletRateLimits;
import jakarta.servlet.DispatcherType;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Auto-configuration for servlet applications: the filter that enforces rules, and the
 * enforcement of annotated handlers.
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({ RateLimitAutoConfiguration.class, RateLimiter.class })
public final class RateLimitServletAutoConfiguration {

	private static final String DISPATCHER_SERVLET = "org.springframework.web.servlet.DispatcherServlet";

	@Bean
	RateLimitHeaders rateLimitHeaders(RateLimitProperties properties, RateLimiter limiter) {
		RateLimitHeaders headers = new RateLimitHeaders(properties.headers());
		limiter.observe((policy) -> headers.prepare(policy.policy()));
		return headers;
	}

	@Bean
	ServletRateLimits servletRateLimits(RateLimitClock clock, RateLimitProperties properties, Environment environment,
			RateLimitHeaders headers) {
		return new ServletRateLimits(clock, ClientAddresses.resolver(properties.clientAddress(), environment), headers);
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

	@Bean(BoundRules.BEAN_NAME)
	BoundRules rateLimitRules(RateLimitProperties properties, RateLimiter limiter, PolicyBinder binder,
			@Qualifier("mvcPatternParser") ObjectProvider<PathPatternParser> parser) {
		return BoundRules.of(properties, parser.getIfAvailable(() -> PathPatternParser.defaultInstance), limiter,
				binder);
	}

	@Bean
	FilterRegistrationBean<RateLimitFilter> rateLimitFilter(BoundRules rules, ServletPaths paths,
			ServletRateLimits limits, RateLimitRejections rejections, ObjectProvider<FilterOrders> orders) {
		RateLimitFilter filter = new RateLimitFilter(rules.beforeSecurity(), paths, limits, rejections);
		return registration(filter, "rateLimitFilter", orders.getIfAvailable(FilterOrders::withoutSecurity).before());
	}

	@Bean
	@ConditionalOnProperty("ratelimit.rules[0].path")
	FilterRegistrationBean<RateLimitFilter> rateLimitPrincipalFilter(BoundRules rules, ServletPaths paths,
			ServletRateLimits limits, RateLimitRejections rejections, ObjectProvider<FilterOrders> orders) {
		RateLimitFilter filter = new RateLimitFilter(rules.afterSecurity(), paths, limits, rejections);
		FilterRegistrationBean<RateLimitFilter> registration = registration(filter, "rateLimitPrincipalFilter",
				orders.getIfAvailable(FilterOrders::withoutSecurity).after());
		registration.setEnabled(!rules.afterSecurity().isEmpty());
		return registration;
	}

	private static FilterRegistrationBean<RateLimitFilter> registration(RateLimitFilter filter, String name,
			int order) {
		FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
		registration.setName(name);
		registration.setOrder(order);
		registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ERROR);
		return registration;
	}

	@Bean
	FilterRegistrationBean<DelayedRequestFilter> rateLimitDelayedRequestFilter(ServletPaths paths,
			DelayedDispatch dispatch) {
		FilterRegistrationBean<DelayedRequestFilter> registration = new FilterRegistrationBean<>(
				new DelayedRequestFilter(paths, dispatch));
		registration.setName("rateLimitDelayedRequestFilter");
		registration.setOrder(Ordered.LOWEST_PRECEDENCE);
		registration.setMatchAfter(true);
		registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
		return registration;
	}

	/**
	 * Where the filters stand among the application's.
	 *
	 * @param before the order of the filter that needs nobody to be authenticated
	 * @param after the order of the one that reads the authenticated user
	 */
	record FilterOrders(int before, int after) {

		/* Where Spring Security would be; whatever else authenticates comes anywhere. */
		private static final int SECURITY = -100;

		static FilterOrders withoutSecurity() {
			return new FilterOrders(SECURITY - 1, Ordered.LOWEST_PRECEDENCE);
		}

		static FilterOrders around(int security) {
			return new FilterOrders((security > Ordered.HIGHEST_PRECEDENCE) ? security - 1 : security,
					(security < Ordered.LOWEST_PRECEDENCE) ? security + 1 : security);
		}

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

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ DispatcherServlet.class, HandlerMapping.class })
	static class MvcConfiguration {

		@Bean
		MvcRejectionHandlers rateLimitMvcRejectionHandlers(
				@Qualifier("handlerExceptionResolver") ObjectProvider<HandlerExceptionResolver> resolver,
				ObjectProvider<ViewResolver> viewResolvers) {
			return new MvcRejectionHandlers(() -> exceptionHandlers(resolver.getIfAvailable()),
					() -> viewResolvers.orderedStream().toList());
		}

		private static ExceptionHandlerExceptionResolver exceptionHandlers(
				@Nullable HandlerExceptionResolver resolver) {
			if (resolver instanceof HandlerExceptionResolverComposite composite) {
				return composite.getExceptionResolvers()
					.stream()
					.filter(ExceptionHandlerExceptionResolver.class::isInstance)
					.map(ExceptionHandlerExceptionResolver.class::cast)
					.findFirst()
					.orElseGet(MvcConfiguration::exceptionHandlers);
			}
			return exceptionHandlers();
		}

		private static ExceptionHandlerExceptionResolver exceptionHandlers() {
			ExceptionHandlerExceptionResolver resolver = new ExceptionHandlerExceptionResolver();
			resolver.afterPropertiesSet();
			return resolver;
		}

		@Bean
		RateLimitExceptionResolver rateLimitExceptionResolver(MvcRejectionHandlers handlers,
				RateLimitRejections rejections) {
			return new RateLimitExceptionResolver(handlers, rejections);
		}

		@Bean
		RejectionCors rateLimitRejectionCors(ObjectProvider<CorsConfigurationSource> sources,
				ObjectProvider<HandlerMapping> mappings) {
			CorsConfigurationSource mvc = new HandlerMappingCorsSource(() -> mappings.orderedStream().toList());
			return new RejectionCors(() -> Stream.concat(sources.orderedStream(), Stream.of(mvc)).toList());
		}

		@Bean
		MappedInterceptor rateLimitHandlerInterceptor(RateLimitedMethods methods, ServletRateLimits limits,
				RateLimitRejections rejections) {
			return new MappedInterceptor(null, new RateLimitHandlerInterceptor(methods, limits, rejections));
		}

		@Bean
		DelayedHandlerAdapter rateLimitDelayedHandlerAdapter(ObjectProvider<HandlerAdapter> adapters,
				RateLimiter limiter, DelayedDispatch dispatch) {
			AtomicBoolean delays = new AtomicBoolean();
			limiter.observe((policy) -> delays.compareAndSet(false, policy.policy().delays()));
			return new DelayedHandlerAdapter(() -> adapters.orderedStream().toList(), delays::get, dispatch);
		}

	}

}
