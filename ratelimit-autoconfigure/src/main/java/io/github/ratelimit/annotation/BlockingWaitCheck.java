package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.InvalidRateLimitException;
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

	private final Collection<Place> places = new ConcurrentLinkedQueue<>();

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
	void check(Method method, Class<?> type, LimitedMethod limited) {
		Place place = new Place(method, type, limited);
		List<RateLimitPolicy> policies = new ArrayList<>();
		for (PolicyBinding binding : limited.bindings()) {
			policies.addAll(binding.limiter().policy().underAllPlans());
		}
		check(place, policies);
		this.places.add(place);
	}

	/**
	 * Checks a policy under other numbers, wherever it is applied.
	 */
	void check(RateLimitPolicy policy) {
		for (Place place : this.places) {
			if (place.limited()
				.bindings()
				.stream()
				.anyMatch((each) -> each.limiter().policy().name().equals(policy.name()))) {
				check(place, List.of(policy));
			}
		}
	}

	private void check(Place place, List<RateLimitPolicy> policies) {
		if (policies.stream().anyMatch(RateLimitPolicy::delays)) {
			checkSuspending(place);
			if (!this.virtualThreads) {
				checkThread(place);
			}
			checkTimeout(place, policies);
		}
	}

	/*
	 * A suspending function of Kotlin has the type of what it returns only in its last
	 * parameter. Virtual threads do not help, because a dispatcher has threads of its
	 * own.
	 */
	private static void checkSuspending(Place place) {
		Class<?>[] parameters = place.method().getParameterTypes();
		boolean suspending = parameters.length > 0
				&& parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
		if (suspending) {
			throw place.invalid(
					"would hold a thread of its dispatcher while a call waits in the leaky bucket, because it is a "
							+ "suspending function",
					"Use nodelay or another algorithm, which let nobody wait.");
		}
	}

	private static void checkThread(Place place) {
		if (place.limited().waitsWithoutThread()) {
			return;
		}
		if (Handlers.isMessageHandler(place.method(), place.type())) {
			throw place.invalid(
					"would hold a thread of the server while a message or a field waits in the leaky bucket",
					"Use nodelay; or return a CompletableFuture; or set spring.threads.virtual.enabled to true.");
		}
		if (place.limited().needsArguments() && Handlers.isWebHandler(place.method(), place.type())) {
			throw place.invalid(
					"would hold a thread of the server while a request waits in the leaky bucket, because its "
							+ "expressions need the method's arguments",
					"Use an expression that needs none, such as pathVariable('id') or header('X-Api-Key'); or nodelay; "
							+ "or return a CompletableFuture; or set spring.threads.virtual.enabled to true.");
		}
	}

	/*
	 * Only a configured time-out applies to the wait before a handler is called. The
	 * server's default applies to the asynchronous result of a handler.
	 */
	private void checkTimeout(Place place, List<RateLimitPolicy> policies) {
		Duration configured = this.requestTimeout;
		boolean returned = place.limited().waitsWithoutThread() && place.limited().needsArguments();
		Duration timeout = (configured == null && returned) ? OF_SERVERS : configured;
		Duration longest = policies.stream()
			.map(RateLimitPolicy::longestDelay)
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
		if (timeout != null && longest.compareTo(timeout) > 0 && Handlers.isWebHandler(place.method(), place.type())) {
			throw place.invalid(
					"could make a request wait for " + DurationText.of(longest)
							+ " in the leaky bucket, which is longer than the " + DurationText.of(timeout) + " of "
							+ ((configured != null) ? TIMEOUT : "the server's asynchronous time-out"),
					"Use a smaller burst or nodelay, or set " + TIMEOUT + " to more.");
		}
	}

	/**
	 * A limited method.
	 *
	 * @param method the method
	 * @param type the class of the objects that it is called on
	 * @param limited the method with its limits
	 */
	private record Place(Method method, Class<?> type, LimitedMethod limited) {

		InvalidRateLimitException invalid(String reason, String action) {
			return AnnotatedPlace.of(this.method, this.type).invalid(reason, action, null);
		}

	}

}
