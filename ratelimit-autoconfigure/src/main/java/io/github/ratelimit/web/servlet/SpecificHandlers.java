package io.github.ratelimit.web.servlet;

import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.web.RejectionHandlers;
import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ServletInvocableHandlerMethod;

/**
 * Finds and calls the application's {@link ExceptionHandler @ExceptionHandler} methods
 * that name {@link RateLimitExceededException}. One for all exceptions was written for
 * failures, and does not swallow a rejection.
 */
final class SpecificHandlers extends ExceptionHandlerExceptionResolver {

	private final RejectionHandlers methods;

	/**
	 * Creates the handlers.
	 * @param application the application's resolver, to which everything but the choice
	 * of the method is left
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
		this.methods = new RejectionHandlers(getExceptionHandlerAdviceCache());
	}

	@Override
	protected @Nullable ServletInvocableHandlerMethod getExceptionHandlerMethod(@Nullable HandlerMethod method,
			Exception exception, ServletWebRequest webRequest) {
		RejectionHandlers.Found found = this.methods.find(exception, method, () -> accepted(webRequest));
		if (found == null) {
			return null;
		}
		if (!found.produces().isEmpty()) {
			webRequest.getRequest().setAttribute(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE, found.produces());
		}
		return new ServletInvocableHandlerMethod(found.bean(), found.method(), getApplicationContext());
	}

	/**
	 * Whether the application handles rejections of a handler itself.
	 * @param handler the request's handler, if it has one yet
	 */
	boolean existFor(@Nullable HandlerMethod handler) {
		return this.methods.existFor(handler);
	}

	/**
	 * Whether a client would rather have a page. As Spring MVC chooses between two
	 * handler methods, of which one produces HTML and the other says nothing: those of
	 * Spring Boot's error controller.
	 */
	boolean prefersPage(ServletWebRequest request) {
		for (MediaType accepted : accepted(request)) {
			if (accepted.includes(MediaType.TEXT_HTML)) {
				return !accepted.isWildcardType();
			}
		}
		return false;
	}

	/*
	 * A client that accepts nothing that can be understood is answered by any handler.
	 */
	private List<MediaType> accepted(ServletWebRequest request) {
		try {
			return getContentNegotiationManager().resolveMediaTypes(request);
		}
		catch (HttpMediaTypeNotAcceptableException ex) {
			return List.of(MediaType.ALL);
		}
	}

}
