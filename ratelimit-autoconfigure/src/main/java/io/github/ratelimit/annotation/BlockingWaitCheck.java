package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.enforce.PolicyBinding;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Rejects suspending functions, and handlers that would hold a thread of the server, if
 * they wait in a leaky bucket. These handlers are handlers that return a plain value and
 * are limited when they are called: web handlers whose expressions need arguments, and
 * all handlers of GraphQL and of messages.
 */
final class BlockingWaitCheck {

	private static final String TIMEOUT = "spring.mvc.async.request-timeout";

	/* The default of Tomcat and Jetty. */
	private static final Duration OF_SERVERS = Duration.ofSeconds(30);

	private BlockingWaitCheck() {
	}

	/*
	 * A suspending function of Kotlin has the type of what it returns only in its last
	 * parameter. Virtual threads do not help, because a dispatcher has threads of its
	 * own.
	 */
	static void checkSuspending(Method method, Class<?> type, List<PolicyBinding> bindings) {
		Class<?>[] parameters = method.getParameterTypes();
		boolean suspending = parameters.length > 0
				&& parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
		if (suspending && delay(bindings)) {
			throw AnnotatedPlace.of(method, type)
				.invalid(
						"would hold a thread of its dispatcher while a call waits in the leaky bucket, because it is a "
								+ "suspending function",
						"Use nodelay or another algorithm, which let nobody wait.", null);
		}
	}

	static void check(Method method, Class<?> type, List<PolicyBinding> bindings) {
		if (!delay(bindings) || waitsWithoutThread(method.getReturnType())) {
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
	 * Only a configured time-out applies to the wait before a handler is called. The
	 * server's default applies to the asynchronous result of a handler.
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
				.invalid(
						"could make a request wait for " + DurationText.of(longest)
								+ " in the leaky bucket, which is longer than the " + DurationText.of(timeout) + " of "
								+ ((configured != null) ? TIMEOUT : "the server's asynchronous time-out"),
						"Use a smaller burst or nodelay, or set " + TIMEOUT + " to more.", null);
		}
	}

	private static boolean delay(List<PolicyBinding> bindings) {
		return bindings.stream().anyMatch((binding) -> binding.limiter().policy().delays());
	}

	private static boolean waitsWithoutThread(Class<?> type) {
		return (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class))
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

}
