package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
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

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.MediaType;
import org.springframework.lang.Contract;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ServletInvocableHandlerMethod;

/**
 * The exception handlers of a Spring MVC application, for rejections.
 *
 * @since 0.1.0
 */
public final class MvcRejectionHandlers implements RejectionExceptionHandlers {

	private final ConcurrentMap<Class<?>, Boolean> handled = new ConcurrentHashMap<>();

	private final Supplier<SpecificHandlers> handlers;

	private final ViewRenderer renderer;

	/**
	 * Creates the handlers.
	 * @param application gives the application's own resolver, when it is first needed
	 * @param viewResolvers gives the application's view resolvers, in order, when they
	 * are first needed
	 */
	public MvcRejectionHandlers(Supplier<ExceptionHandlerExceptionResolver> application,
			Supplier<List<ViewResolver>> viewResolvers) {
		this.handlers = SingletonSupplier.of(() -> new SpecificHandlers(application.get()));
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

	/**
	 * Finds and calls the application's {@link ExceptionHandler @ExceptionHandler}
	 * methods that name {@link RateLimitExceededException}. One for all exceptions was
	 * written for failures, and does not swallow a rejection.
	 */
	private static class SpecificHandlers extends ExceptionHandlerExceptionResolver {

		private final ConcurrentMap<Class<?>, ExceptionHandlerMethodResolver> controllers = new ConcurrentHashMap<>();

		private final ConcurrentMap<Method, Boolean> specific = new ConcurrentHashMap<>();

		/**
		 * Creates the handlers.
		 * @param application the application's resolver, which everything but the choice
		 * of the method is left to
		 */
		SpecificHandlers(ExceptionHandlerExceptionResolver application) {
			setMessageConverters(application.getMessageConverters());
			setContentNegotiationManager(application.getContentNegotiationManager());
			if (application.getArgumentResolvers() != null) {
				setArgumentResolvers(application.getArgumentResolvers().getResolvers());
			}
			if (application.getReturnValueHandlers() != null) {
				setReturnValueHandlers(application.getReturnValueHandlers().getHandlers());
			}
			setApplicationContext(application.getApplicationContext());
			afterPropertiesSet();
		}

		boolean exist(@Nullable Class<?> handlerType) {
			return handlerType != null && names(controller(handlerType)) || getExceptionHandlerAdviceCache().entrySet()
				.stream()
				.anyMatch((advice) -> advice.getKey().isApplicableToBeanType(handlerType) && names(advice.getValue()));
		}

		private boolean names(ExceptionHandlerMethodResolver resolver) {
			return isSpecific(
					resolver.resolveExceptionMappingByExceptionType(RateLimitExceededException.class, MediaType.ALL));
		}

		@Override
		protected @Nullable ServletInvocableHandlerMethod getExceptionHandlerMethod(
				@Nullable HandlerMethod handlerMethod, Exception exception, ServletWebRequest webRequest) {
			List<MediaType> accepted = accepted(webRequest);
			Class<?> handlerType = (handlerMethod != null) ? handlerMethod.getBeanType() : null;
			if (handlerMethod != null && handlerType != null) {
				Method method = find(controller(handlerType), exception, accepted, webRequest);
				if (method != null) {
					return new ServletInvocableHandlerMethod(handlerMethod.getBean(), method, getApplicationContext());
				}
				if (Proxy.isProxyClass(handlerType)) {
					handlerType = AopUtils.getTargetClass(handlerMethod.getBean());
				}
			}
			for (var entry : getExceptionHandlerAdviceCache().entrySet()) {
				ControllerAdviceBean advice = entry.getKey();
				Method method = advice.isApplicableToBeanType(handlerType)
						? find(entry.getValue(), exception, accepted, webRequest) : null;
				if (method != null) {
					return new ServletInvocableHandlerMethod(advice.resolveBean(), method, getApplicationContext());
				}
			}
			return null;
		}

		/*
		 * Who accepts nothing that can be understood is answered by any handler.
		 */
		private List<MediaType> accepted(ServletWebRequest request) {
			try {
				return getContentNegotiationManager().resolveMediaTypes(request);
			}
			catch (HttpMediaTypeNotAcceptableException ex) {
				return List.of(MediaType.ALL);
			}
		}

		private ExceptionHandlerMethodResolver controller(Class<?> type) {
			return this.controllers.computeIfAbsent(type, ExceptionHandlerMethodResolver::new);
		}

		private @Nullable Method find(ExceptionHandlerMethodResolver resolver, Exception exception,
				List<MediaType> accepted, ServletWebRequest request) {
			for (MediaType mediaType : accepted) {
				ExceptionHandlerMappingInfo mapping = resolver
					.resolveExceptionMappingByExceptionType(exception.getClass(), mediaType);
				if (isSpecific(mapping)) {
					if (!mapping.getProducibleTypes().isEmpty()) {
						request.setAttribute(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE,
								mapping.getProducibleTypes(), RequestAttributes.SCOPE_REQUEST);
					}
					return mapping.getHandlerMethod();
				}
			}
			return null;
		}

		@Contract("null -> false")
		private boolean isSpecific(@Nullable ExceptionHandlerMappingInfo mapping) {
			return mapping != null
					&& this.specific.computeIfAbsent(mapping.getHandlerMethod(), SpecificHandlers::isSpecific);
		}

		private static boolean isSpecific(Method method) {
			ExceptionHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
			Class<?>[] types = (annotation != null && annotation.value().length > 0) ? annotation.value()
					: method.getParameterTypes();
			return Arrays.stream(types).anyMatch(RateLimitExceededException.class::isAssignableFrom);
		}

	}

}
