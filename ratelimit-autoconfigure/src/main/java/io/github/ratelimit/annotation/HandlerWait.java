package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.expression.PolicyBinding;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Controller;

/**
 * Refuses web handlers that would hold a server's thread while they wait: those whose
 * leaky bucket delays, but whose turn is known only when their arguments are, and that
 * return a plain value.
 */
final class HandlerWait {

	private static final List<String> MAPPINGS = List.of("org.springframework.web.bind.annotation.RequestMapping",
			"org.springframework.web.service.annotation.HttpExchange");

	private HandlerWait() {
	}

	static void check(Method method, Class<?> type, List<PolicyBinding> bindings) {
		boolean delays = bindings.stream().anyMatch((binding) -> binding.limiter().policy().delays());
		boolean needsArguments = bindings.stream().anyMatch(PolicyBinding::needsArguments);
		if (delays && needsArguments && isHandler(method, type) && !waitsWithoutThread(method.getReturnType())) {
			throw new InvalidRateLimitedMethodException(AnnotatedPlace.of(method, type),
					"would hold a thread of the server while a request waits in the leaky bucket, because its "
							+ "expressions need the method's arguments",
					"Use an expression that needs none, such as pathVariable('id') or header('X-Api-Key'); or nodelay; "
							+ "or return a CompletableFuture; or set spring.threads.virtual.enabled to true.",
					null);
		}
	}

	/*
	 * The mappings alone are also what HTTP clients carry.
	 */
	private static boolean isHandler(Method method, Class<?> type) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return MAPPINGS.stream().anyMatch(annotations::isPresent)
				&& AnnotatedElementUtils.hasAnnotation(type, Controller.class);
	}

	private static boolean waitsWithoutThread(Class<?> type) {
		return (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class))
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

}
