package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.enforce.PolicyBinding;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Refuses handlers that would hold a server's thread while they wait: those whose leaky
 * bucket delays, that return a plain value, and whose turn is known only when they are
 * called. Of web handlers that are those whose expressions need their arguments; handlers
 * of GraphQL and of messages are always limited as methods.
 */
final class BlockingWaitCheck {

	private static final String TIMEOUT = "spring.mvc.async.request-timeout";

	/* Tomcat's, and Jetty's. */
	private static final Duration OF_SERVERS = Duration.ofSeconds(30);

	private BlockingWaitCheck() {
	}

	static void check(Method method, Class<?> type, List<PolicyBinding> bindings) {
		boolean delays = bindings.stream().anyMatch((binding) -> binding.limiter().policy().delays());
		if (!delays || waitsWithoutThread(method.getReturnType())) {
			return;
		}
		if (Handlers.isMessageHandler(method, type)) {
			throw AnnotatedPlace.of(method, type)
				.invalid("would hold a thread of the server while a message or a field waits in the leaky bucket",
						"Use nodelay; or return a CompletableFuture; or set spring.threads.virtual.enabled to true.",
						null);
		}
		boolean needsArguments = bindings.stream().anyMatch((binding) -> binding.expressions().needsArguments());
		if (needsArguments && Handlers.isWebHandler(method, type)) {
			throw AnnotatedPlace.of(method, type)
				.invalid(
						"would hold a thread of the server while a request waits in the leaky bucket, because its "
								+ "expressions need the method's arguments",
						"Use an expression that needs none, such as pathVariable('id') or header('X-Api-Key'); or nodelay; "
								+ "or return a CompletableFuture; or set spring.threads.virtual.enabled to true.",
						null);
		}
	}

	/*
	 * What waits before the handler is called has no time-out but a configured one. What
	 * it returns has the server's otherwise.
	 */
	static void checkTimeout(Method method, Class<?> type, List<PolicyBinding> bindings,
			@Nullable Duration configured) {
		boolean returned = waitsWithoutThread(method.getReturnType())
				&& bindings.stream().anyMatch((binding) -> binding.expressions().needsArguments());
		Duration timeout = (configured == null && returned) ? OF_SERVERS : configured;
		Duration longest = bindings.stream()
			.map((binding) -> binding.limiter().policy().longestDelay())
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
		if (timeout != null && longest.compareTo(timeout) > 0 && Handlers.isWebHandler(method, type)) {
			throw AnnotatedPlace.of(method, type)
				.invalid("could make a request wait for " + longest + " in the leaky bucket, which is longer than the "
						+ timeout + " of " + ((configured != null) ? TIMEOUT : "the server's asynchronous time-out"),
						"Use a smaller burst or nodelay, or set " + TIMEOUT + " to more.", null);
		}
	}

	private static boolean waitsWithoutThread(Class<?> type) {
		return (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class))
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

}
