package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

/**
 * The exception handlers of a Spring MVC application, for rejections.
 *
 * @since 0.1.0
 */
public final class MvcRejectionHandlers implements RejectionExceptionHandlers {

	private final ConcurrentMap<Class<?>, Boolean> handled = new ConcurrentHashMap<>();

	private final Supplier<SpecificExceptionHandlers> handlers;

	private final ViewRenderer renderer;

	/**
	 * Creates the handlers.
	 * @param application gives the application's own resolver, when it is first needed
	 * @param viewResolvers gives the application's view resolvers, in order, when they
	 * are first needed
	 */
	public MvcRejectionHandlers(Supplier<ExceptionHandlerExceptionResolver> application,
			Supplier<List<ViewResolver>> viewResolvers) {
		this.handlers = SingletonSupplier.of(() -> new SpecificExceptionHandlers(application.get()));
		this.renderer = new ViewRenderer(viewResolvers);
	}

	@Override
	public boolean isHandled(@Nullable Class<?> handlerType) {
		Class<?> key = (handlerType != null) ? handlerType : Void.class;
		Boolean known = this.handled.get(key);
		if (known == null) {
			known = this.handlers.get().exist(handlerType);
			this.handled.put(key, known);
		}
		return known;
	}

	@Override
	public boolean handle(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException {
		ModelAndView answer = resolve(request, response, null, new RateLimitExceededException(policy, decision));
		if (answer == null) {
			return false;
		}
		if (!answer.isEmpty()) {
			this.renderer.render(answer, request, response);
		}
		return true;
	}

	/**
	 * Calls the application's exception handler.
	 * @param request the request
	 * @param response the response
	 * @param handler the request's handler, if it has one yet
	 * @param rejection the exception
	 * @return what to render, or {@code null} if the application has no such handler
	 */
	@Nullable ModelAndView resolve(HttpServletRequest request, HttpServletResponse response, @Nullable Object handler,
			RateLimitExceededException rejection) {
		return this.handlers.get().resolveException(request, response, handler, rejection);
	}

}
