package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Rejects handlers that would hold a thread of the server if they wait in a leaky bucket,
 * and suspending functions that would hold one of their dispatcher. These handlers are
 * handlers that return a plain value and are limited when they are called: web handlers
 * whose expressions need arguments, and all handlers of GraphQL and of messages.
 */
final class BlockingWaitCheck {

	private static final String TIMEOUT = "spring.mvc.async.request-timeout";

	private static final String FOR_JAVA = "return a CompletableFuture. If its expressions need no arguments, such as "
			+ "pathVariable('id'), a web handler waits without a thread. With spring.threads.virtual.enabled any may "
			+ "wait.";

	/* Virtual threads do not help, because a dispatcher has threads of its own. */
	private static final String FOR_KOTLIN = "add the dependency org.jetbrains.kotlinx:kotlinx-coroutines-reactor, with "
			+ "which a suspending function waits without a thread.";

	/* The default of Tomcat and Jetty. */
	private static final Duration OF_SERVERS = Duration.ofSeconds(30);

	private final Map<AnnotatedLocation, LimitedMethod> locations = new ConcurrentHashMap<>();

	private final boolean virtualThreads;

	private final @Nullable Duration requestTimeout;

	private final Interception interception;

	/**
	 * Creates the check.
	 * @param virtualThreads whether requests are served by virtual threads, which may
	 * wait
	 * @param requestTimeout the time-out of asynchronous requests, or {@code null} for
	 * the server's default
	 * @param interception knows whether requests have a time-out at all
	 */
	BlockingWaitCheck(boolean virtualThreads, @Nullable Duration requestTimeout, Interception interception) {
		this.virtualThreads = virtualThreads;
		this.requestTimeout = requestTimeout;
		this.interception = interception;
	}

	/**
	 * Checks a method, and remembers it for policies that change, also meanwhile.
	 */
	void check(AnnotatedLocation location, LimitedMethod limited) {
		this.locations.put(location, limited);
		try {
			for (PolicyBinding binding : limited.bindings()) {
				check(location, limited, binding.limiter().policy());
			}
		}
		catch (InvalidRateLimitException ex) {
			this.locations.remove(location);
			throw ex;
		}
	}

	/**
	 * Checks a policy under other numbers, wherever it is applied.
	 */
	void check(RateLimitPolicy policy) {
		if (!policy.delays()) {
			return;
		}

		String name = policy.name();
		this.locations.forEach((location, limited) -> {
			if (limited.bindings().stream().anyMatch((each) -> each.limiter().policy().name().equals(name))) {
				check(location, limited, policy);
			}
		});
	}

	private void check(AnnotatedLocation location, LimitedMethod limited, RateLimitPolicy policy) {
		if (!policy.delays()) {
			return;
		}

		if (holdsThread(location, limited)) {
			String advice = limited.suspends ? FOR_KOTLIN : FOR_JAVA;
			throw location.invalid("would hold a thread that others need while a call waits " + place(policy),
					without(location, limited, policy) + ", or " + advice);
		}
		if (MethodRole.isWebHandler(limited.method, location.type()) && !this.interception.isReactive()) {
			checkTimeout(location, limited, policy);
		}
	}

	private static String place(RateLimitPolicy policy) {
		if (policy.maxWait().isZero()) {
			return "in the leaky bucket";
		}
		return "for its permit";
	}

	private static String without(AnnotatedLocation location, LimitedMethod limited, RateLimitPolicy policy) {
		if (policy.maxWait().isZero()) {
			return "Use nodelay or another algorithm";
		}
		return "Remove " + maxWait(location, limited);
	}

	/* The wait as it is written: in an annotation, or else in a policy. */
	private static String maxWait(AnnotatedLocation location, LimitedMethod limited) {
		RateLimitedAnnotations found = RateLimitedAnnotations.find(limited.method, location.type());
		if (found != null && found.annotations().stream().anyMatch((each) -> !each.maxWait().isEmpty())) {
			return "maxWait";
		}
		return "max-wait";
	}

	private boolean holdsThread(AnnotatedLocation location, LimitedMethod limited) {
		if (limited.waitsWithoutThread()) {
			return false;
		}
		return limited.suspends || (!this.virtualThreads && isOnThreadOfServer(location, limited));
	}

	private static boolean isOnThreadOfServer(AnnotatedLocation location, LimitedMethod limited) {
		if (!MethodRole.isController(location.type())) {
			return false;
		}
		if (MethodRole.WEB_HANDLER.isOf(limited.method)) {
			return limited.needsArguments();
		}
		return MethodRole.MESSAGE_HANDLER.isOf(limited.method);
	}

	/*
	 * Only a configured time-out applies to the wait before a handler is called. The
	 * server's default applies to the asynchronous result of a handler.
	 */
	private void checkTimeout(AnnotatedLocation location, LimitedMethod limited, RateLimitPolicy policy) {
		Duration configured = this.requestTimeout;
		if (configured != null) {
			checkTimeout(location, limited, policy, configured, TIMEOUT);
		}
		else if (limited.waitsWithoutThread() && limited.needsArguments()) {
			checkTimeout(location, limited, policy, OF_SERVERS, "the server's asynchronous time-out");
		}
	}

	private static void checkTimeout(AnnotatedLocation location, LimitedMethod limited, RateLimitPolicy policy,
			Duration timeout, String name) {
		Duration longest = policy.longestDelay();
		if (longest.compareTo(timeout) > 0) {
			String shorter = "a shorter " + maxWait(location, limited);
			if (policy.maxWait().isZero()) {
				shorter = "a smaller burst or nodelay";
			}
			throw location.invalid(
					"could make a request wait for " + DurationText.of(longest) + " " + place(policy)
							+ ", which is longer than the " + DurationText.of(timeout) + " of " + name,
					"Use " + shorter + ", or set " + TIMEOUT + " to more.");
		}
	}

}
