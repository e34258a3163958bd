package io.github.ratelimit.annotation;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.NonBlockingThread;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.request.PermitRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;

/**
 * A method with its limits, worked out once: what each policy asks of a call, and how the
 * method's return type lets a call wait or be rejected.
 *
 * @since 0.1.0
 */
public final class LimitedMethod {

	private static final Set<String> WITH_CONTEXT = Set.of("reactor.core.publisher.Mono", "reactor.core.publisher.Flux",
			"org.reactivestreams.Publisher", "kotlinx.coroutines.flow.Flow");

	/* The method of the target's own class. */
	final Method method;

	private final List<PolicyBinding> bindings;

	private final boolean needsArguments;

	private final boolean charged;

	/* What answers rejections of some of the policies. */
	private final Map<StoreRateLimiter, Fallback> fallbacks;

	private final Predicate<AcquisitionEntry> answered;

	private volatile boolean interceptable;

	private volatile boolean leftToHandlers;

	/*
	 * What is known of the handler that was asked about last: nearly always the only one.
	 */
	private volatile @Nullable KnownHandler handler;

	/* The method is a suspending function of Kotlin. */
	final boolean suspends;

	final boolean returnsFuture;

	/*
	 * The adapter for what the method returns, if it is a future or of a reactive type.
	 */
	private final @Nullable ReactiveAdapter adapter;

	private final boolean reactive;

	/**
	 * Creates a limited method.
	 * @param method the method of the target's own class, whose parameter names count
	 * @param bindings its limits; none for a method without limits
	 * @param returnType what a call of the method is seen to return
	 */
	public LimitedMethod(Method method, List<PolicyBinding> bindings, Class<?> returnType) {
		this(method, bindings, returnType, Map.of());
	}

	/*
	 * Creates a limited method of which fallbacks answer rejections of some policies.
	 */
	LimitedMethod(Method method, List<PolicyBinding> bindings, Class<?> returnType,
			Map<StoreRateLimiter, Fallback> fallbacks) {
		this.method = method;
		this.bindings = List.copyOf(bindings);
		this.fallbacks = Map.copyOf(fallbacks);
		this.answered = hasFallback() ? this::isAnswered : Acquisition.WITHOUT_FALLBACK;

		boolean needsArguments = false;
		boolean charged = false;
		for (PolicyBinding binding : bindings) {
			needsArguments |= binding.needsArguments();
			charged |= binding.hasCharge();
		}
		this.needsArguments = needsArguments;
		this.charged = charged;

		this.suspends = KotlinDetector.isSuspendingFunction(method);
		this.returnsFuture = CompletionStage.class.isAssignableFrom(returnType)
				&& returnType.isAssignableFrom(CompletableFuture.class);
		Class<?> adapted = this.returnsFuture ? CompletableFuture.class : returnType;
		this.adapter = ObservedCall.adapter(adapted, null);
		this.reactive = this.adapter != null && WITH_CONTEXT.contains(this.adapter.getReactiveType().getName());
	}

	/**
	 * Returns the method's limits.
	 * @return a binding for each policy; empty for a method without limits
	 */
	public List<PolicyBinding> bindings() {
		return this.bindings;
	}

	/**
	 * Says what a call asks of the method's policies.
	 * @param context the call
	 * @param acquisition the permits of the call, which may be {@code null} if no policy
	 * {@link #awaitsPlan awaits a plan}
	 * @return what to ask of each policy whose condition holds
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public List<PermitRequest> resolve(RateLimitContext context, @Nullable Acquisition acquisition) {
		List<PermitRequest> requests = new ArrayList<>(this.bindings.size());
		for (int i = 0; i < this.bindings.size(); i++) {
			this.bindings.get(i).resolve(context, null, requests, acquisition);
		}
		return requests;
	}

	/**
	 * Checks the path variables that expressions read, of a handler.
	 * @param patterns those of all paths that it is mapped to
	 * @throws InvalidRateLimitException if none of them has such a variable
	 */
	public void checkPathVariables(Collection<String> patterns) {
		this.bindings.forEach((binding) -> binding.checkPathVariables(patterns));
	}

	/**
	 * Whether nothing limits the method.
	 * @return {@code true} if it has no limits
	 */
	public boolean isUnlimited() {
		return this.bindings.isEmpty();
	}

	/**
	 * Whether an expression reads the method's arguments.
	 * @return {@code true} if the limits cannot be enforced before the arguments are
	 * known
	 */
	public boolean needsArguments() {
		return this.needsArguments;
	}

	/*
	 * Whether a policy behind another may ask for a plan that takes its time.
	 */
	boolean awaitsPlan() {
		return this.bindings.size() > 1 && this.bindings.stream().anyMatch(PolicyBinding::awaitsPlan);
	}

	/*
	 * Whether it may take its time to say what a call asks.
	 */
	boolean mayBlock() {
		return this.bindings.stream().anyMatch(PolicyBinding::mayBlock);
	}

	/*
	 * Whether something is read of a request by a word, or may be read, to say what a
	 * call asks.
	 */
	boolean mayRead(String word) {
		return this.bindings.stream().anyMatch((binding) -> binding.mayRead(word));
	}

	/*
	 * Whether the call must be intercepted, because its arguments or its result are read,
	 * or a fallback may be called in its place.
	 */
	boolean needsCall() {
		return this.needsArguments || hasFallback()
				|| (this.charged && this.bindings.stream().anyMatch(PolicyBinding::needsCall));
	}

	/*
	 * Whether a fallback answers rejections of any policy.
	 */
	boolean hasFallback() {
		return !this.fallbacks.isEmpty();
	}

	/*
	 * Whether a fallback answers rejections of a policy.
	 */
	boolean hasFallback(StoreRateLimiter limiter) {
		return this.fallbacks.containsKey(limiter);
	}

	/*
	 * Says whether a fallback answers a rejection.
	 */
	Predicate<AcquisitionEntry> answered() {
		return this.answered;
	}

	/*
	 * Whether calls of the method on a handler are seen. It is found out once.
	 */
	boolean isSeenOn(Object handler, Predicate<Object> search) {
		KnownHandler known = this.handler;
		if (known == null || !known.handler.refersTo(handler)) {
			known = new KnownHandler(new WeakReference<>(handler), search.test(handler));
			this.handler = known;
		}
		return known.seen;
	}

	private boolean isAnswered(AcquisitionEntry rejection) {
		return fallback(rejection) != null;
	}

	/* Whom an operator denies is not to be answered by anything. */
	private @Nullable Fallback fallback(AcquisitionEntry rejection) {
		if (rejection.decision().denied()) {
			return null;
		}
		return this.fallbacks.get(rejection.request().limiter());
	}

	/*
	 * Returns what to make in place of a call that is rejected: the call of a fallback,
	 * if one answers the rejection, and else the call itself.
	 */
	MethodInvocation inPlaceOf(MethodInvocation call, AcquisitionEntry rejection) {
		Fallback fallback = fallback(rejection);
		if (fallback == null) {
			return call;
		}
		return fallback.inPlaceOf(call, rejection);
	}

	/*
	 * Whether requests are limited before they call the method, a handler, and its calls
	 * are not.
	 */
	boolean isLeftToHandlers() {
		return this.leftToHandlers;
	}

	void leaveToHandlers() {
		this.leftToHandlers = true;
	}

	/**
	 * Notes that a proxy can intercept the method's calls.
	 */
	public void intercept() {
		this.interceptable = true;
	}

	/**
	 * Whether limits of a handler had better wait for its arguments: what is charged by
	 * its outcome is reserved until then, and a client that never ends its body would
	 * keep others from it.
	 * @return {@code true} if a limit is charged, and a proxy can intercept the calls
	 */
	public boolean reservesWithArguments() {
		return this.charged && this.interceptable;
	}

	/**
	 * Whether a call of the method is decided on before its arguments are read, and
	 * charged what it costs.
	 * @return {@code false} if the call or its outcome must be seen
	 */
	public boolean isPlain() {
		return !this.needsArguments && !this.charged;
	}

	/**
	 * Whether a limit of the method is charged by outcome.
	 * @return {@code false} if each call is charged what it costs
	 */
	public boolean isCharged() {
		return this.charged;
	}

	/*
	 * Returns the arguments that its parameters are written for: the compiler adds one to
	 * those of a suspending function.
	 */
	@Nullable Object[] arguments(@Nullable Object[] arguments) {
		return this.suspends ? Arrays.copyOf(arguments, arguments.length - 1) : arguments;
	}

	/**
	 * Whether it returns a type of Reactor's, or is a suspending function of Kotlin: what
	 * subscribes to it says which request a call belongs to.
	 * @return {@code false} for one that returns a plain value, a future, or a publisher
	 * of another library, which is subscribed to without a context
	 */
	public boolean isReactive() {
		return this.reactive;
	}

	/**
	 * Reports to a request what its handler has returned, or what that completes with,
	 * where the call itself cannot, because nothing connects it with its request.
	 * @param returned what the handler has returned
	 * @param request the request
	 * @return what to use in its place
	 */
	public @Nullable Object observe(@Nullable Object returned, LimitedHttpRequest request) {
		if (isReactive() || !request.isCharged()) {
			return returned;
		}
		return ObservedCall.observe(returned, request, this.returnsFuture);
	}

	/*
	 * Returns the adapter for what completes later, unless a call is decided at once. A
	 * call that returns a future is, on a thread that may wait for the store.
	 */
	@Nullable ReactiveAdapter adapter() {
		return (this.returnsFuture && !NonBlockingThread.isCurrent()) ? null : this.adapter;
	}

	/*
	 * Whether its calls wait without a thread.
	 */
	boolean waitsWithoutThread() {
		return this.returnsFuture || this.adapter != null;
	}

	/**
	 * What is known of a handler. Another one of its class may have other advice. The
	 * object is not kept: a bean may be made for each request.
	 *
	 * @param handler refers to the object, mostly a proxy
	 * @param seen whether its calls come by advice that limits them
	 */
	private record KnownHandler(WeakReference<Object> handler, boolean seen) {

	}

}
