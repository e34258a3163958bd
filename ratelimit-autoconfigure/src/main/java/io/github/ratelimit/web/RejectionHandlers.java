package io.github.ratelimit.web;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitExceededException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * Finds the application's {@link ExceptionHandler @ExceptionHandler} methods that name
 * {@link RateLimitExceededException}. One for all exceptions was written for failures,
 * and does not swallow a rejection.
 *
 * @since 0.1.0
 */
public final class RejectionHandlers {

	private final Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> advice;

	/*
	 * The exception handlers in the order in which they are asked, by the class of the
	 * request's handler; Void where there is none.
	 */
	private final ConcurrentMap<Class<?>, List<Handlers>> known = new ConcurrentHashMap<>();

	/**
	 * Creates the finder.
	 * @param advice the exception handlers of the application's advice, in their order
	 */
	public RejectionHandlers(Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> advice) {
		this.advice = advice;
	}

	/**
	 * Whether the application handles rejections of a handler itself.
	 * @param method the request's handler, if it has one yet
	 * @return {@code false} if no exception handler names the exception
	 */
	public boolean existFor(@Nullable HandlerMethod method) {
		return handlersFor(method).stream()
			.anyMatch((handlers) -> handlers.findForRejection(RateLimitExceededException.class, MediaType.ALL) != null);
	}

	/**
	 * Chooses the exception handler for a rejection, or for what one has caused: that is
	 * a failure, which any may handle that is for it or for one of its causes.
	 * @param thrown what was thrown
	 * @param method the request's handler, if it has one yet
	 * @param accepted says what the client accepts, in its order
	 * @return the exception handler, or {@code null} if there is none
	 */
	public @Nullable Found find(Throwable thrown, @Nullable HandlerMethod method, Supplier<List<MediaType>> accepted) {
		List<Handlers> all = handlersFor(method);
		if (all.isEmpty()) {
			return null;
		}

		List<MediaType> types = accepted.get();
		for (Handlers handlers : all) {
			for (MediaType each : types) {
				ExceptionHandlerMappingInfo found = handlers.find(thrown, each);
				if (found != null) {
					return new Found(handlers.bean(method), found.getHandlerMethod(), found.getProducibleTypes());
				}
			}
		}
		return null;
	}

	private List<Handlers> handlersFor(@Nullable HandlerMethod method) {
		if (method == null) {
			return this.known.computeIfAbsent(Void.class, (key) -> collect(null));
		}
		return this.known.computeIfAbsent(AopUtils.getTargetClass(method.getBean()), this::collect);
	}

	private List<Handlers> collect(@Nullable Class<?> type) {
		List<Handlers> all = new ArrayList<>();
		if (type != null) {
			all.add(new Handlers(null, new ExceptionHandlerMethodResolver(type)));
		}
		this.advice.forEach((bean, resolver) -> {
			if (bean.isApplicableToBeanType(type)) {
				all.add(new Handlers(bean, resolver));
			}
		});

		all.removeIf((handlers) -> !handlers.resolver().hasExceptionMappings());
		return List.copyOf(all);
	}

	/**
	 * An exception handler.
	 *
	 * @param bean what has it
	 * @param method the method
	 * @param produces the media types that it produces; none if it does not say
	 */
	public record Found(Object bean, Method method, Set<MediaType> produces) {

	}

	/**
	 * The exception handlers of one class.
	 *
	 * @param advice what has them, or {@code null} if it is the request's controller
	 * @param resolver chooses one
	 */
	private record Handlers(@Nullable ControllerAdviceBean advice, ExceptionHandlerMethodResolver resolver) {

		/* Finds the one for an exception whose client accepts a type. */
		@Nullable ExceptionHandlerMappingInfo find(Throwable thrown, MediaType accepted) {
			if (thrown instanceof RateLimitExceededException rejection) {
				return findForRejection(rejection.getClass(), accepted);
			}
			return this.resolver.resolveExceptionMapping(thrown, accepted);
		}

		/* Finds the one for a rejection, if it names rejections. */
		@Nullable ExceptionHandlerMappingInfo findForRejection(Class<? extends RateLimitExceededException> type,
				MediaType accepted) {
			ExceptionHandlerMappingInfo found = this.resolver.resolveExceptionMappingByExceptionType(type, accepted);
			if (found == null) {
				return null;
			}

			boolean isNamed = found.getExceptionTypes()
				.stream()
				.anyMatch(RateLimitExceededException.class::isAssignableFrom);
			return isNamed ? found : null;
		}

		Object bean(@Nullable HandlerMethod method) {
			if (this.advice == null && method != null) {
				return method.getBean();
			}
			return Objects.requireNonNull(this.advice).resolveBean();
		}

	}

}
