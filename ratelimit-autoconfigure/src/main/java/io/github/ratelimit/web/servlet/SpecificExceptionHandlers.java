package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.ratelimit.RateLimitExceededException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ServletInvocableHandlerMethod;

/**
 * Finds and calls the application's {@link ExceptionHandler @ExceptionHandler} methods
 * that name {@link RateLimitExceededException}. One for all exceptions was written for
 * failures, and does not swallow a rejection.
 */
class SpecificExceptionHandlers extends ExceptionHandlerExceptionResolver {

	private final ConcurrentMap<Class<?>, ExceptionHandlerMethodResolver> controllers = new ConcurrentHashMap<>();

	private final ConcurrentMap<Method, Boolean> specific = new ConcurrentHashMap<>();

	/**
	 * Creates the handlers.
	 * @param application the application's resolver, which everything but the choice of
	 * the method is left to
	 */
	SpecificExceptionHandlers(ExceptionHandlerExceptionResolver application) {
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
		Class<? extends Exception> exception = RateLimitExceededException.class;
		return handlerType != null && find(controller(handlerType), exception) != null
				|| getExceptionHandlerAdviceCache().entrySet()
					.stream()
					.anyMatch((advice) -> advice.getKey().isApplicableToBeanType(handlerType)
							&& find(advice.getValue(), exception) != null);
	}

	@Override
	protected @Nullable ServletInvocableHandlerMethod getExceptionHandlerMethod(@Nullable HandlerMethod handlerMethod,
			Exception exception, ServletWebRequest webRequest) {
		Class<?> handlerType = (handlerMethod != null) ? handlerMethod.getBeanType() : null;
		if (handlerMethod != null && handlerType != null) {
			Method method = find(controller(handlerType), exception.getClass());
			if (method != null) {
				return new ServletInvocableHandlerMethod(handlerMethod.getBean(), method, getApplicationContext());
			}
		}
		for (var entry : getExceptionHandlerAdviceCache().entrySet()) {
			ControllerAdviceBean advice = entry.getKey();
			Method method = advice.isApplicableToBeanType(handlerType) ? find(entry.getValue(), exception.getClass())
					: null;
			if (method != null) {
				return new ServletInvocableHandlerMethod(advice.resolveBean(), method, getApplicationContext());
			}
		}
		return null;
	}

	private ExceptionHandlerMethodResolver controller(Class<?> type) {
		return this.controllers.computeIfAbsent(type, ExceptionHandlerMethodResolver::new);
	}

	private @Nullable Method find(ExceptionHandlerMethodResolver resolver, Class<? extends Exception> exception) {
		Method method = resolver.resolveMethodByExceptionType(exception);
		return (method != null && this.specific.computeIfAbsent(method, SpecificExceptionHandlers::isSpecific)) ? method
				: null;
	}

	private static boolean isSpecific(Method method) {
		ExceptionHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
		Class<?>[] types = (annotation != null && annotation.value().length > 0) ? annotation.value()
				: method.getParameterTypes();
		return Arrays.stream(types).anyMatch(RateLimitExceededException.class::isAssignableFrom);
	}

}
