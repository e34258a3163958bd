package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.expression.PolicyBinding;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Refuses web handlers that would hold a server's thread while they wait: those whose
 * leaky bucket delays, but whose turn is known only when their arguments are, and that
 * return a plain value.
 */
final class HandlerWait {

	private static final String REQUEST_MAPPING = "org.springframework.web.bind.annotation.RequestMapping";

	private HandlerWait() {
	}

	static void check(Method method, List<PolicyBinding> bindings) {
		boolean delays = bindings.stream().anyMatch((binding) -> binding.limiter().policy().delays());
		boolean needsArguments = bindings.stream().anyMatch(PolicyBinding::needsArguments);
		if (delays && needsArguments && isHandler(method) && !waitsWithoutThread(method.getReturnType())) {
			throw new InvalidRateLimitedMethodException(AnnotatedPlace.describe(method),
					"would hold a thread of the server while a request waits in the leaky bucket, because its "
							+ "expressions need the method's arguments",
					"Use an expression that needs none, such as pathVariable('id') or header('X-Api-Key'); or nodelay; "
							+ "or return a CompletableFuture; or set spring.threads.virtual.enabled to true.",
					null);
		}
	}

	private static boolean isHandler(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(REQUEST_MAPPING);
	}

	private static boolean waitsWithoutThread(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

}
