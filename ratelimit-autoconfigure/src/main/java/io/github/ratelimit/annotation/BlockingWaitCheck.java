package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.RateLimitPolicy;
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
		check(place, limited,
				limited.bindings()
					.stream()
					.flatMap((binding) -> binding.limiter().policy().underAllPlans().stream())
					.toList());
		this.places.put(place, limited);
	}

	/**
	 * Checks a policy under other numbers, wherever it is applied.
	 */
	void check(RateLimitPolicy policy) {
		this.places.forEach((place, limited) -> {
			if (limited.bindings().stream().anyMatch((each) -> each.limiter().policy().name().equals(policy.name()))) {
				check(place, limited, List.of(policy));
			}
		});
	}

	private void check(AnnotatedPlace place, LimitedMethod limited, List<RateLimitPolicy> policies) {
		if (policies.stream().anyMatch(RateLimitPolicy::delays)) {
			checkSuspending(place, limited.method());
			boolean web = MethodRole.isWebHandler(limited.method(), place.type());
			if (!this.virtualThreads && !limited.waitsWithoutThread()) {
				checkThread(place, limited, web);
			}
			if (web) {
				checkTimeout(place, limited, policies);
			}
		}
	}

	/*
	 * A suspending function of Kotlin has the type of what it returns only in its last
	 * parameter. Virtual threads do not help, because a dispatcher has threads of its
	 * own.
	 */
	private static void checkSuspending(AnnotatedPlace place, Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		if (parameters.length > 0
				&& parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
			throw place
				.invalid(
						"would hold a thread of its dispatcher while a call waits in the leaky bucket, because it is a "
								+ "suspending function",
						"Use nodelay or another algorithm, which let nobody wait.", null);
		}
	}

	private static void checkThread(AnnotatedPlace place, LimitedMethod limited, boolean web) {
		String others = "or return a CompletableFuture; or set spring.threads.virtual.enabled to true.";
		if (MethodRole.MESSAGE_HANDLER.isOf(limited.method()) && MethodRole.isController(place.type())) {
			throw place.invalid(
					"would hold a thread of the server while a message or a field waits in the leaky bucket",
					"Use nodelay; " + others, null);
		}
		if (limited.needsArguments() && web) {
			throw place.invalid(
					"would hold a thread of the server while a request waits in the leaky bucket, because its "
							+ "expressions need the method's arguments",
					"Use an expression that needs none, such as pathVariable('id') or header('X-Api-Key'); or nodelay; "
							+ others,
					null);
		}
	}

	/*
	 * Only a configured time-out applies to the wait before a handler is called. The
	 * server's default applies to the asynchronous result of a handler.
	 */
	private void checkTimeout(AnnotatedPlace place, LimitedMethod limited, List<RateLimitPolicy> policies) {
		Duration configured = this.requestTimeout;
		boolean returned = limited.waitsWithoutThread() && limited.needsArguments();
		Duration timeout = (configured == null && returned) ? OF_SERVERS : configured;
		Duration longest = Collections.max(policies.stream().map(RateLimitPolicy::longestDelay).toList());
		if (timeout != null && longest.compareTo(timeout) > 0) {
			throw place.invalid(
					"could make a request wait for " + DurationText.of(longest)
							+ " in the leaky bucket, which is longer than the " + DurationText.of(timeout) + " of "
							+ ((configured != null) ? TIMEOUT : "the server's asynchronous time-out"),
					"Use a smaller burst or nodelay, or set " + TIMEOUT + " to more.", null);
		}
	}

}
