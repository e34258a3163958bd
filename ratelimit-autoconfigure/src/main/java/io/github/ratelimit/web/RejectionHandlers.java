package io.github.ratelimit.web;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
	 * In the order in which they are asked, by the class of the request's handler; Void
	 * where there is none.
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
		return find(RateLimitExceededException.class, method, () -> List.of(MediaType.ALL)) != null;
	}

	/**
	 * Chooses the exception handler for a rejection, or for what one has caused: that is
	 * a failure, which any may handle.
	 * @param thrown the class of what was thrown
	 * @param method the request's handler, if it has one yet
	 * @param accepted says what the client accepts, in its order
	 * @return the exception handler, or {@code null} if there is none
	 */
	public @Nullable Found find(Class<? extends Throwable> thrown, @Nullable HandlerMethod method,
			Supplier<List<MediaType>> accepted) {
		Class<?> type = (method != null) ? AopUtils.getTargetClass(method.getBean()) : null;
		List<Handlers> all = this.known.computeIfAbsent((type != null) ? type : Void.class, (key) -> find(type));
		List<MediaType> types = all.isEmpty() ? List.of() : accepted.get();
		for (Handlers handlers : all) {
			for (MediaType each : types) {
				ExceptionHandlerMappingInfo found = handlers.of(thrown, each);
				if (found != null) {
					return new Found(handlers.bean(method), found.getHandlerMethod(), found.getProducibleTypes());
				}
			}
		}
		return null;
	}

	private List<Handlers> find(@Nullable Class<?> type) {
		return Stream
			.concat(Stream.ofNullable(type)
				.map((controller) -> new Handlers(null, new ExceptionHandlerMethodResolver(controller))),
					this.advice.entrySet()
						.stream()
						.filter((entry) -> entry.getKey().isApplicableToBeanType(type))
						.map((entry) -> new Handlers(entry.getKey(), entry.getValue())))
			.filter((handlers) -> handlers.resolver().hasExceptionMappings())
			.toList();
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

		/*
		 * The one for an exception whose client accepts a type. That for a rejection
		 * names it.
		 */
		@Nullable ExceptionHandlerMappingInfo of(Class<? extends Throwable> thrown, MediaType accepted) {
			ExceptionHandlerMappingInfo found = this.resolver.resolveExceptionMappingByExceptionType(thrown, accepted);
			boolean handles = found != null && (!RateLimitExceededException.class.isAssignableFrom(thrown)
					|| found.getExceptionTypes().stream().anyMatch(RateLimitExceededException.class::isAssignableFrom));
			return handles ? found : null;
		}

		Object bean(@Nullable HandlerMethod method) {
			return (this.advice != null || method == null) ? Objects.requireNonNull(this.advice).resolveBean()
					: method.getBean();
		}

	}

}
