package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
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
public final class MvcRejectionHandlers implements RateLimitRejections.ExceptionHandlers {

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
	public boolean exist(HandlerMethod handler) {
		return !this.handlers.get().of(handler).isEmpty();
	}

	@Override
	public boolean handle(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException {
		ModelAndView answer = this.handlers.get().of(null).isEmpty() ? null
				: resolve(request, response, null, new RateLimitExceededException(policy, decision));
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

		/* By the class of the request's handler; Void where there is none. */
		private final ConcurrentMap<Class<?>, List<Handlers>> known = new ConcurrentHashMap<>();

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

		/**
		 * The handlers for rejections of a request, in the order in which they are asked.
		 * @param method the request's handler, if it has one yet
		 */
		List<Handlers> of(@Nullable HandlerMethod method) {
			Class<?> type = (method != null) ? AopUtils.getTargetClass(method.getBean()) : null;
			return this.known.computeIfAbsent((type != null) ? type : Void.class, (key) -> find(type));
		}

		private List<Handlers> find(@Nullable Class<?> type) {
			Stream<Handlers> own = Stream.ofNullable(type)
				.map((controller) -> new Handlers(null, new ExceptionHandlerMethodResolver(controller)));
			Stream<Handlers> advice = getExceptionHandlerAdviceCache().entrySet()
				.stream()
				.filter((entry) -> entry.getKey().isApplicableToBeanType(type))
				.map((entry) -> new Handlers(entry.getKey(), entry.getValue()));
			return Stream.concat(own, advice).filter((handlers) -> handlers.of(MediaType.ALL) != null).toList();
		}

		@Override
		protected @Nullable ServletInvocableHandlerMethod getExceptionHandlerMethod(@Nullable HandlerMethod method,
				Exception exception, ServletWebRequest webRequest) {
			for (Handlers handlers : of(method)) {
				for (MediaType accepted : accepted(webRequest)) {
					ExceptionHandlerMappingInfo found = handlers.of(accepted);
					if (found != null) {
						if (!found.getProducibleTypes().isEmpty()) {
							webRequest.getRequest()
								.setAttribute(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE,
										found.getProducibleTypes());
						}
						return new ServletInvocableHandlerMethod(handlers.bean(method), found.getHandlerMethod(),
								getApplicationContext());
					}
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

	}

	/**
	 * The exception handlers of one class.
	 *
	 * @param advice what has them, or {@code null} if it is the request's controller
	 * @param resolver chooses one
	 */
	private record Handlers(@Nullable ControllerAdviceBean advice, ExceptionHandlerMethodResolver resolver) {

		/*
		 * The one for a rejection whose client accepts a type, if it names the exception.
		 */
		@Nullable ExceptionHandlerMappingInfo of(MediaType accepted) {
			ExceptionHandlerMappingInfo found = this.resolver
				.resolveExceptionMappingByExceptionType(RateLimitExceededException.class, accepted);
			return (found != null && isSpecific(found.getHandlerMethod())) ? found : null;
		}

		Object bean(@Nullable HandlerMethod method) {
			return (this.advice != null || method == null) ? Objects.requireNonNull(this.advice).resolveBean()
					: method.getBean();
		}

		private static boolean isSpecific(Method method) {
			ExceptionHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
			Class<?>[] types = (annotation != null && annotation.value().length > 0) ? annotation.value()
					: method.getParameterTypes();
			return Arrays.stream(types).anyMatch(RateLimitExceededException.class::isAssignableFrom);
		}

	}

}
