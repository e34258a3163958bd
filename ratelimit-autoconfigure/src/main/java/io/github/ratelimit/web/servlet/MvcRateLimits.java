package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.annotation.RateLimitedMethods;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

/**
 * The entry to what this package adds to Spring MVC, and to what the application itself
 * answers rejections with there. Apart from {@link ServletRateLimits}, which works
 * without Spring MVC.
 *
 * @since 0.1.0
 */
public final class MvcRateLimits {

	private final Supplier<SpecificHandlers> handlers;

	private final Supplier<ViewRenderer> views;

	private final Supplier<ErrorPage> errorPage;

	private final ApplicationContext context;

	/**
	 * Creates the entry. Everything is looked up when it is first needed.
	 * @param resolver the application's own resolver
	 * @param viewResolvers the application's view resolvers
	 * @param context the application, which has the handler mappings
	 * @param errorPage gives what finds the page for the error that is described by a
	 * request's attributes, or {@code null} if there is none
	 */
	public MvcRateLimits(ObjectProvider<HandlerExceptionResolver> resolver, ObjectProvider<ViewResolver> viewResolvers,
			ApplicationContext context,
			Supplier<BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView>> errorPage) {
		this.handlers = SingletonSupplier.of(() -> new SpecificHandlers(exceptionHandlers(resolver.getIfAvailable())));
		this.views = SingletonSupplier.of(() -> new ViewRenderer(viewResolvers));
		this.errorPage = SingletonSupplier.of(() -> new ErrorPage(errorPage, this.views));
		this.context = context;
	}

	/*
	 * An application that has another resolver than Spring MVC's in its place has no
	 * exception handlers: those that it declares are not called for other exceptions,
	 * either.
	 */
	private static ExceptionHandlerExceptionResolver exceptionHandlers(@Nullable HandlerExceptionResolver resolver) {
		if (resolver instanceof ExceptionHandlerExceptionResolver handlers) {
			return handlers;
		}
		if (resolver instanceof HandlerExceptionResolverComposite composite) {
			for (HandlerExceptionResolver each : composite.getExceptionResolvers()) {
				if (each instanceof ExceptionHandlerExceptionResolver handlers) {
					return handlers;
				}
			}
		}

		ExceptionHandlerExceptionResolver none = new ExceptionHandlerExceptionResolver();
		none.afterPropertiesSet();
		return none;
	}

	/**
	 * Creates the interceptor that enforces the limits of handlers before their arguments
	 * are resolved.
	 * @param methods the limits of methods
	 * @param rejections answers those that are rejected
	 * @return the interceptor, for all paths
	 */
	public static HandlerInterceptor interceptor(RateLimitedMethods methods, RateLimitRejections rejections) {
		return new RateLimitHandlerInterceptor(methods, rejections);
	}

	/**
	 * Creates what gives handlers what was decided on their request.
	 * @param info tells it of a request
	 * @return a resolver of arguments
	 */
	public static HandlerMethodArgumentResolver argumentResolver(Function<HttpServletRequest, RateLimitInfo> info) {
		return new RateLimitInfoArgumentResolver(info);
	}

	/**
	 * Creates the adapter that lets requests wait right before their handler is called.
	 * @param adapters gives all adapters of the dispatcher, in their order
	 * @param limits what all requests share
	 * @return the adapter, which calls handlers through the others
	 */
	public static HandlerAdapter handlerAdapter(Supplier<Stream<HandlerAdapter>> adapters, ServletRateLimits limits) {
		return new DelayedHandlerAdapter(adapters, limits);
	}

	/**
	 * Creates the resolver that answers rejected calls which the application does not
	 * handle itself.
	 * @param rejections answers those that are rejected
	 * @return the resolver
	 */
	public HandlerExceptionResolver exceptionResolver(RateLimitRejections rejections) {
		return new RejectionResolver(rejections, this.handlers);
	}

	/**
	 * Creates what knows which origins Spring MVC itself would allow to read an answer.
	 */
	CorsConfigurationSource origins() {
		return new MappedOrigins(this.context);
	}

	/**
	 * Whether the application handles rejections of a handler itself.
	 */
	boolean handles(HandlerMethod handler) {
		return this.handlers.get().existFor(handler);
	}

	/**
	 * Has the application handle the rejection of a request that has no handler yet.
	 * @return {@code false} if it has no exception handler that names the exception
	 */
	boolean handle(HttpServletRequest request, HttpServletResponse response, RateLimitExceededException rejection)
			throws IOException, ServletException {
		SpecificHandlers handlers = this.handlers.get();
		if (!handlers.existFor(null)) {
			return false;
		}
		ModelAndView answer = handlers.resolveException(request, response, null, rejection);
		if (answer == null) {
			return false;
		}
		if (!answer.isEmpty()) {
			this.views.get().render(answer, request, response);
		}
		return true;
	}

	/**
	 * Answers with the application's error page, if the request prefers HTML.
	 * @return {@code false} if there is no page, or it has failed
	 */
	boolean showPage(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision, HttpStatus status) throws IOException, ServletException {
		if (!this.handlers.get().prefersPage(new ServletWebRequest(request))) {
			return false;
		}
		return this.errorPage.get().show(request, response, policy, decision, status.value());
	}

}
