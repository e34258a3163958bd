package io.github.ratelimit.autoconfigure;

import java.util.function.BiFunction;

import io.github.ratelimit.annotation.Interception;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.servlet.DelayedDispatch;
import io.github.ratelimit.web.servlet.MvcRateLimits;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import io.github.ratelimit.web.servlet.RateLimitRejections;
import io.github.ratelimit.web.servlet.RejectionCors;
import io.github.ratelimit.web.servlet.ServletRateLimits;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.template.TemplateAvailabilityProviders;
import org.springframework.boot.autoconfigure.web.WebProperties;
import org.springframework.boot.webmvc.autoconfigure.error.BasicErrorController;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorViewResolver;
import org.springframework.boot.webmvc.error.ErrorAttributes;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.multipart.support.StandardServletMultipartResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.handler.MappedInterceptor;

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

	@Bean
	MvcRateLimits rateLimitMvcRateLimits(
			@Qualifier("handlerExceptionResolver") ObjectProvider<HandlerExceptionResolver> resolver,
			ObjectProvider<ViewResolver> viewResolvers) {
		return new MvcRateLimits(resolver, viewResolvers);
	}

	@Bean
	HandlerExceptionResolver rateLimitExceptionResolver(MvcRateLimits mvc, RateLimitRejections rejections) {
		return mvc.exceptionResolver(rejections);
	}

	@Bean
	RejectionCors rateLimitRejectionCors(ObjectProvider<CorsConfigurationSource> sources,
			ObjectProvider<HandlerMapping> mappings) {
		return new RejectionCors(sources, MvcRateLimits.corsSource(mappings));
	}

	@Bean
	RuleMatching rateLimitRuleMatching(ApplicationContext context, RuleCompiler rules) {
		return new RuleMatching(context, rules);
	}

	@Bean(Interception.HANDLER_INTERCEPTOR)
	MappedInterceptor rateLimitHandlerInterceptor(RateLimitedMethods methods, RateLimitRejections rejections) {
		return new MappedInterceptor(null, MvcRateLimits.interceptor(methods, rejections));
	}

	@Bean
	HandlerAdapter rateLimitDelayedHandlerAdapter(ObjectProvider<HandlerAdapter> adapters, ServletRateLimits limits,
			DelayedDispatch dispatch) {
		return MvcRateLimits.handlerAdapter(adapters, limits, dispatch);
	}

	/*
	 * DispatcherServlet has an upload resolved before it looks for the handler, and its
	 * limits come after that. So the body is only read when something needs a part of it.
	 */
	@Bean
	@ConditionalOnProperty(name = "spring.servlet.multipart.resolve-lazily", matchIfMissing = true)
	static BeanPostProcessor rateLimitLazyUploads() {
		return new LazyUploads();
	}

	/*
	 * Spring MVC may be used without Boot's module for it. Created with the first
	 * rejection, and so finds whatever the application has.
	 */
	@Bean
	@Lazy
	@ConditionalOnClass(name = "org.springframework.boot.webmvc.autoconfigure.error.BasicErrorController")
	@ConditionalOnMissingBean
	RateLimitRejectionHandler rateLimitRejectionHandler(ApplicationContext context, RateLimitHeaders headers,
			@Qualifier("mvcContentNegotiationManager") ObjectProvider<ContentNegotiationManager> negotiation,
			MvcRateLimits mvc) {
		return mvc.errorPage(ErrorPages.of(context), () -> negotiation.getIfAvailable(ContentNegotiationManager::new),
				new RateLimitProblem(headers));
	}

	private static final class LazyUploads implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String beanName) {
			if (bean instanceof StandardServletMultipartResolver resolver) {
				resolver.setResolveLazily(true);
			}
			return bean;
		}

	}

	/**
	 * The pages of Spring Boot's error controller. An application whose own controller
	 * has replaced it has the pages that Boot would find: what such a controller is
	 * called with is its own affair.
	 */
	private static final class ErrorPages {

		private static final String DEFAULT_VIEW = "error";

		/*
		 * Without a default view, a resolver for JSPs would take its name for a path, and
		 * forward there.
		 */
		static BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView> of(
				ApplicationContext context) {
			BasicErrorController controller = controller(context);
			boolean defaultView = hasDefaultView(context);
			return (request, response) -> {
				ModelAndView page = (controller != null) ? controller.errorHtml(request, response) : null;
				return (page != null && DEFAULT_VIEW.equals(page.getViewName()) && !defaultView) ? null : page;
			};
		}

		private static @Nullable BasicErrorController controller(ApplicationContext context) {
			ObjectProvider<ErrorAttributes> attributes = context.getBeanProvider(ErrorAttributes.class);
			return context.getBeanProvider(BasicErrorController.class).getIfUnique(() -> {
				ErrorAttributes unique = attributes.getIfUnique();
				return (unique != null) ? new BasicErrorController(unique,
						context.getBeanProvider(WebProperties.class).getIfAvailable(WebProperties::new).getError(),
						context.getBeanProvider(ErrorViewResolver.class).orderedStream().toList()) : null;
			});
		}

		private static boolean hasDefaultView(ApplicationContext context) {
			return context.containsBean(DEFAULT_VIEW) && context.isTypeMatch(DEFAULT_VIEW, View.class)
					|| new TemplateAvailabilityProviders(context).getProvider(DEFAULT_VIEW, context) != null;
		}

	}

}
