package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinding;
import org.jspecify.annotations.Nullable;

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

	private final Map<AnnotatedPlace, LimitedMethod> places = new ConcurrentHashMap<>();

	private final boolean virtualThreads;

	private final @Nullable Duration requestTimeout;

	/**
	 * Creates the check.
	 * @param virtualThreads whether requests are served by virtual threads, which may
	 * wait
	 * @param requestTimeout the time-out of asynchronous requests, or {@code null} for
	 * the server's default
	 */
	BlockingWaitCheck(boolean virtualThreads, @Nullable Duration requestTimeout) {
		this.virtualThreads = virtualThreads;
		this.requestTimeout = requestTimeout;
	}

	/**
	 * Checks a method, and remembers it for policies that change.
	 */
	void check(AnnotatedPlace place, LimitedMethod limited) {
		for (PolicyBinding binding : limited.bindings()) {
			check(place, limited, binding.limiter().policy());
		}
		this.places.put(place, limited);
	}

	/**
	 * Checks a policy under other numbers, wherever it is applied.
	 */
	void check(RateLimitPolicy policy) {
		this.places.forEach((place, limited) -> {
			for (PolicyBinding binding : limited.bindings()) {
				if (binding.limiter().policy().name().equals(policy.name())) {
					check(place, limited, policy);
				}
			}
		});
	}

	private void check(AnnotatedPlace place, LimitedMethod limited, RateLimitPolicy policy) {
		if (!policy.delays()) {
			return;
		}
		boolean web = MethodRole.isWebHandler(limited.method(), place.type());
		boolean ofServer = web ? limited.needsArguments()
				: MethodRole.MESSAGE_HANDLER.isOf(limited.method()) && MethodRole.isController(place.type());
		boolean holdsThread = ofServer && !this.virtualThreads && !limited.waitsWithoutThread();
		if (holdsThread || isSuspending(limited.method())) {
			throw place.invalid("would hold a thread that others need while a call waits in the leaky bucket",
					"Use nodelay or another algorithm, or return a CompletableFuture. If its expressions need no "
							+ "arguments, such as pathVariable('id'), a web handler waits without a thread. With "
							+ "spring.threads.virtual.enabled any but a suspending function may wait.");
		}
		if (web) {
			checkTimeout(place, limited, policy.longestDelay());
		}
	}

	/*
	 * A suspending function of Kotlin has the type of what it returns only in its last
	 * parameter. Virtual threads do not help, because a dispatcher has threads of its
	 * own.
	 */
	private static boolean isSuspending(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0
				&& parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
	}

	/*
	 * Only a configured time-out applies to the wait before a handler is called. The
	 * server's default applies to the asynchronous result of a handler.
	 */
	private void checkTimeout(AnnotatedPlace place, LimitedMethod limited, Duration longest) {
		Duration configured = this.requestTimeout;
		boolean returned = limited.waitsWithoutThread() && limited.needsArguments();
		Duration timeout = (configured == null && returned) ? OF_SERVERS : configured;
		if (timeout != null && longest.compareTo(timeout) > 0) {
			throw place.invalid(
					"could make a request wait for " + DurationText.of(longest)
							+ " in the leaky bucket, which is longer than the " + DurationText.of(timeout) + " of "
							+ ((configured != null) ? TIMEOUT : "the server's asynchronous time-out"),
					"Use a smaller burst or nodelay, or set " + TIMEOUT + " to more.");
		}
	}

}
