package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.function.BiFunction;

import io.github.ratelimit.annotation.Interception;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.web.servlet.MvcRateLimits;
import io.github.ratelimit.web.servlet.RateLimitRejections;
import io.github.ratelimit.web.servlet.ServletRateLimits;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.template.TemplateAvailabilityProviders;
import org.springframework.boot.autoconfigure.web.WebProperties;
import org.springframework.boot.webmvc.autoconfigure.error.BasicErrorController;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorViewResolver;
import org.springframework.boot.webmvc.error.ErrorAttributes;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.multipart.support.StandardServletMultipartResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * Auto-configuration for Spring MVC: limits handlers before the body is read, and lets
 * the application's exception handlers answer rejections.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class },
		before = RateLimitServletAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ DispatcherServlet.class, HandlerMapping.class })
@ConditionalOnBean(RateLimitAutoConfiguration.class)
public final class RateLimitMvcAutoConfiguration {

	/* Spring MVC may be used without Boot's module for it. */
	private static final String ERROR_PAGES = "org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration";

	@Bean
	MvcRateLimits rateLimitMvcRateLimits(
			@Qualifier("handlerExceptionResolver") ObjectProvider<HandlerExceptionResolver> resolver,
			ObjectProvider<ViewResolver> viewResolvers, ApplicationContext context) {
		return new MvcRateLimits(resolver, viewResolvers, context,
				() -> context.containsBean(ERROR_PAGES) ? BootErrorPages.of(context) : (request, response) -> null);
	}

	@Bean
	HandlerExceptionResolver rateLimitExceptionResolver(MvcRateLimits mvc, RateLimitRejections rejections) {
		return mvc.exceptionResolver(rejections);
	}

	@Bean
	RuleMatching rateLimitRuleMatching(ApplicationContext context, RuleCompiler rules) {
		return new RuleMatching(context, rules);
	}

	@Bean
	SmartInitializingSingleton rateLimitPathVariables(RateLimitedMethods methods,
			ObjectProvider<RequestMappingInfoHandlerMapping> mappings) {
		return () -> new HandlerPatterns(methods)
			.check((patterns) -> mappings.forEach((mapping) -> mapping.getHandlerMethods()
				.forEach((info, handler) -> patterns.add(handler, info.getPatternValues()))));
	}

	@Bean(Interception.HANDLER_INTERCEPTOR)
	MappedInterceptor rateLimitHandlerInterceptor(RateLimitedMethods methods, RateLimitRejections rejections) {
		return new MappedInterceptor(null, MvcRateLimits.interceptor(methods, rejections));
	}

	@Bean
	WebMvcConfigurer rateLimitArguments(ObjectProvider<ServletRateLimits> limits) {
		return new WebMvcConfigurer() {

			@Override
			public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
				resolvers.add(MvcRateLimits.argumentResolver((request) -> limits.getObject().info(request)));
			}

		};
	}

	@Bean
	HandlerAdapter rateLimitDelayedHandlerAdapter(ObjectProvider<HandlerAdapter> adapters, ServletRateLimits limits) {
		return MvcRateLimits.handlerAdapter(adapters::orderedStream, limits);
	}

	/*
	 * DispatcherServlet has an upload resolved before it looks for the handler, and its
	 * limits come after that. So the body is only read when something needs a part of it.
	 */
	@Bean
	@ConditionalOnProperty(name = "spring.servlet.multipart.resolve-lazily", matchIfMissing = true)
	SmartInitializingSingleton rateLimitLazyUploads(ObjectProvider<StandardServletMultipartResolver> resolvers) {
		return () -> resolvers.forEach((resolver) -> resolver.setResolveLazily(true));
	}

	/**
	 * The pages of Spring Boot's error controller, even if the application has replaced
	 * it: what such a controller is called with is its own affair.
	 */
	private static final class BootErrorPages {

		private static final String DEFAULT_VIEW = "error";

		/*
		 * Without a default view, a resolver for JSPs would take its name for a path, and
		 * forward there.
		 */
		static BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView> of(
				ApplicationContext context) {
			BasicErrorController controller = new BasicErrorController(context.getBean(ErrorAttributes.class),
					context.getBean(WebProperties.class).getError(),
					context.getBeanProvider(ErrorViewResolver.class).orderedStream().toList());
			boolean defaultView = hasDefaultView(context);
			return (request, response) -> {
				ModelAndView page = controller.errorHtml(request, response);
				return (DEFAULT_VIEW.equals(page.getViewName()) && !defaultView) ? null : page;
			};
		}

		private static boolean hasDefaultView(ApplicationContext context) {
			if (context.containsBean(DEFAULT_VIEW) && context.isTypeMatch(DEFAULT_VIEW, View.class)) {
				return true;
			}
			return new TemplateAvailabilityProviders(context).getProvider(DEFAULT_VIEW, context) != null;
		}

	}

}
