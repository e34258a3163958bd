package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.enforce.PermitLedger;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestAttributes;

/**
 * What has been decided for one request. An attribute of the request, so that it lives
 * through all its dispatches.
 */
final class RequestLimits {

	private static final String ATTRIBUTE = RequestLimits.class.getName();

	private final PermitLedger ledger;

	private volatile List<PermitLedger.Entry> others = List.of();

	private volatile @Nullable Thread servedBy;

	private @Nullable Method handler;

	private List<Method> earlierHandlers = List.of();

	private boolean handlerEnforced;

	private boolean handlerCalled;

	private @Nullable String matchedPath;

	private @Nullable String matchedMethod;

	private boolean waiting;

	private int waitedFor;

	private @Nullable String clientAddress;

	private RequestLimits(PermitLedger ledger) {
		this.ledger = ledger;
	}

	static @Nullable RequestLimits find(HttpServletRequest request) {
		return (RequestLimits) request.getAttribute(ATTRIBUTE);
	}

	static RequestLimits of(HttpServletRequest request, ServletRateLimits shared) {
		RequestLimits limits = find(request);
		if (limits == null) {
			limits = new RequestLimits(shared.newRequestLedger());
			request.setAttribute(ATTRIBUTE, limits);
		}
		return limits;
	}

	/**
	 * Finds what has been decided for the request that a thread is bound to.
	 * @param attributes the binding
	 * @return the limits, or {@code null} if there are none
	 * @throws IllegalStateException if the request is over
	 */
	static @Nullable RequestLimits find(RequestAttributes attributes) {
		return (RequestLimits) attributes.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
	}

	/**
	 * Creates limits that no request knows of.
	 */
	static RequestLimits detached(ServletRateLimits shared) {
		return new RequestLimits(shared.newRequestLedger());
	}

	/**
	 * Notes which thread serves the request from here on.
	 * @param thread the thread, or {@code null} while none does
	 * @return which thread did before
	 */
	@Nullable Thread serve(@Nullable Thread thread) {
		Thread before = this.servedBy;
		this.servedBy = thread;
		return before;
	}

	/**
	 * Whether the calling thread serves the request. Another may have inherited it, and
	 * may outlive it.
	 */
	boolean isServedHere() {
		return this.servedBy == Thread.currentThread();
	}

	/**
	 * Notes what the rules were last matched with.
	 */
	void match(HttpServletRequest request) {
		this.matchedPath = request.getRequestURI();
		this.matchedMethod = request.getMethod();
	}

	/**
	 * Whether the rules were matched with another path or method than a request has,
	 * which a filter has changed since.
	 */
	boolean isRewritten(HttpServletRequest request) {
		return this.matchedPath != null && !(this.matchedPath.equals(request.getRequestURI())
				&& Objects.equals(this.matchedMethod, request.getMethod()));
	}

	/**
	 * What the request's rules and its handler's limits said.
	 * @return the request's own ledger
	 */
	PermitLedger ledger() {
		return this.ledger;
	}

	@Nullable String clientAddress() {
		return this.clientAddress;
	}

	void clientAddress(String clientAddress) {
		this.clientAddress = clientAddress;
	}

	/**
	 * Notes which handler method a dispatch is about to call.
	 * @param handler the method
	 * @param proxied whether its call will be seen
	 * @param enforced whether there is nothing left to enforce when it is called
	 */
	void enter(Method handler, boolean proxied, boolean enforced) {
		serve(Thread.currentThread());
		if (this.handler != null && !this.handler.equals(handler) && !this.earlierHandlers.contains(this.handler)) {
			List<Method> earlier = new ArrayList<>(this.earlierHandlers);
			earlier.add(this.handler);
			this.earlierHandlers = earlier;
		}
		this.handler = handler;
		this.handlerEnforced = proxied && enforced;
		this.handlerCalled = !proxied;
	}

	/**
	 * Whether an earlier dispatch was for a handler method.
	 */
	boolean hasEntered(Method handler) {
		return handler.equals(this.handler) || this.earlierHandlers.contains(handler);
	}

	/**
	 * Whether a call is the dispatch's own call of its handler, and nothing is left to
	 * enforce: true once.
	 */
	boolean consumeEnforced(Method method) {
		if (this.handlerEnforced && isCallOfHandler(method)) {
			this.handlerEnforced = false;
			this.handlerCalled = true;
			return true;
		}
		return false;
	}

	/**
	 * The ledger of a call: the request's own if the dispatch calls its handler, which it
	 * does once.
	 */
	PermitLedger ledger(Method method) {
		if (isCallOfHandler(method)) {
			this.handlerCalled = true;
			return this.ledger;
		}
		return this.ledger.call(method);
	}

	private boolean isCallOfHandler(Method method) {
		return !this.handlerCalled && this.handler != null && isSame(this.handler, method);
	}

	/* A proxy may have been called by a method of an interface or a superclass. */
	private static boolean isSame(Method handler, Method method) {
		return handler.equals(method) || handler.getName().equals(method.getName())
				&& Arrays.equals(handler.getParameterTypes(), method.getParameterTypes())
				&& (method.getDeclaringClass().isAssignableFrom(handler.getDeclaringClass())
						|| handler.getDeclaringClass().isAssignableFrom(method.getDeclaringClass()));
	}

	/**
	 * Notes that the request is about to wait for what its ledger says now.
	 */
	void startWaiting() {
		this.waiting = true;
		this.waitedFor = this.ledger.entries().size();
	}

	/**
	 * Notes that the request has failed, and is no longer to wait for what its ledger
	 * says now: an error page is not delayed.
	 */
	void forgoWait() {
		this.waitedFor = this.ledger.entries().size();
	}

	/**
	 * Notes that the wait is over, one way or another.
	 * @return {@code true} if the request had been waiting
	 */
	boolean stopWaiting() {
		boolean stopped = this.waiting;
		this.waiting = false;
		return stopped;
	}

	/**
	 * Whether there is anything to wait for, or to wake up from.
	 * @return {@code false} for a request that can go on
	 */
	boolean waits() {
		return this.waiting || delayNanos() > 0;
	}

	/**
	 * How long to wait for what the request has not waited for yet.
	 * @return nanoseconds, or 0
	 */
	long delayNanos() {
		return (this.waitedFor < this.ledger.entries().size()) ? this.ledger.delayNanos() : 0;
	}

	/**
	 * Adds what was said to a method that the handler calls.
	 * @param other its ledger
	 */
	synchronized void add(PermitLedger other) {
		if (other != this.ledger) {
			List<PermitLedger.Entry> merged = new ArrayList<>(this.others);
			other.entries().forEach((entry) -> merge(merged, entry));
			this.others = merged;
		}
	}

	/**
	 * Adds what a policy said, unless it is known what it said.
	 */
	synchronized void note(PermitLedger.Entry said) {
		RateLimiter limiter = said.request().limiter();
		if (entries().stream().noneMatch((entry) -> entry.request().limiter() == limiter)) {
			List<PermitLedger.Entry> more = new ArrayList<>(this.others);
			more.add(said);
			this.others = more;
		}
	}

	/**
	 * What to tell the client: one entry for each policy.
	 * @return the entries, in the order in which the policies were first asked
	 */
	List<PermitLedger.Entry> entries() {
		List<PermitLedger.Entry> own = this.ledger.entries();
		List<PermitLedger.Entry> others = this.others;
		if (own.size() + others.size() <= 1) {
			return others.isEmpty() ? own : others;
		}
		List<PermitLedger.Entry> merged = new ArrayList<>(own.size() + others.size());
		own.forEach((entry) -> merge(merged, entry));
		others.forEach((entry) -> merge(merged, entry));
		return merged;
	}

	/* Of one policy and key the latest word counts, of several keys the tightest. */
	private static void merge(List<PermitLedger.Entry> entries, PermitLedger.Entry entry) {
		for (int i = 0; i < entries.size(); i++) {
			PermitLedger.Entry earlier = entries.get(i);
			if (earlier.request().limiter() == entry.request().limiter()) {
				boolean sameKey = earlier.request().key().equals(entry.request().key());
				if (sameKey || entry.decision().remaining() < earlier.decision().remaining()) {
					entries.set(i, entry);
				}
				return;
			}
		}
		entries.add(entry);
	}

}
