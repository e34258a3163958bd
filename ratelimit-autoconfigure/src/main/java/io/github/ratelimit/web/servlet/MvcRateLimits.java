package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.web.RateLimitProblem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.ViewResolver;

/**
 * The entry to what this package adds to Spring MVC. Apart from
 * {@link ServletRateLimits}, which works without it.
 *
 * @since 0.1.0
 */
public final class MvcRateLimits {

	private MvcRateLimits() {
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
	 * Creates the adapter that lets requests wait right before their handler is called.
	 * @param adapters all of the application's adapters, in order
	 * @param limits what all requests share
	 * @param dispatch lets requests wait
	 * @return the adapter, which calls handlers through the others
	 */
	public static HandlerAdapter handlerAdapter(Supplier<List<HandlerAdapter>> adapters, ServletRateLimits limits,
			DelayedDispatch dispatch) {
		return new DelayedHandlerAdapter(adapters, limits, dispatch);
	}

	/**
	 * Creates the resolver that answers rejected calls which the application does not
	 * handle itself.
	 * @param handlers the application's exception handlers
	 * @param rejections answers those that are rejected
	 * @return the resolver
	 */
	public static HandlerExceptionResolver exceptionResolver(MvcRejectionHandlers handlers,
			RateLimitRejections rejections) {
		return new RateLimitExceptionResolver(handlers, rejections);
	}

	/**
	 * Creates a source of the CORS configurations that handler mappings have.
	 * @param mappings the mappings, in order, asked for when they are first needed
	 * @return the source
	 */
	public static CorsConfigurationSource corsSource(Supplier<List<HandlerMapping>> mappings) {
		return new HandlerMappingCorsSource(mappings);
	}

	/**
	 * Creates the answer of applications that have none of their own, where Spring MVC
	 * can render an error page.
	 * @param errorPage finds the page for the error that the request's attributes tell
	 * of, and gives {@code null} if there is none
	 * @param negotiation gives what the application negotiates content with, when it is
	 * first needed
	 * @param viewResolvers gives the application's view resolvers, in order, when they
	 * are first needed
	 * @param problem the body for those that want no page
	 * @return the handler
	 */
	public static RateLimitRejectionHandler errorPage(
			BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView> errorPage,
			Supplier<ContentNegotiationManager> negotiation, Supplier<List<ViewResolver>> viewResolvers,
			RateLimitProblem problem) {
		return new ErrorPageRejectionHandler(errorPage, negotiation, viewResolvers, problem);
	}

}
