package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.PermitLedger;
import io.github.ratelimit.PermitRequest;
import io.github.ratelimit.PolicyLimiter;
import io.github.ratelimit.RateLimitClock;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * What has been decided for one request. An attribute of the request, so that it lives
 * through all its dispatches.
 */
final class RequestLimits {

	private static final String ATTRIBUTE = RequestLimits.class.getName();

	private final PermitLedger ledger;

	private volatile List<PermitLedger.Entry> others = List.of();

	private List<PermitRequest> asked = List.of();

	private @Nullable Method handler;

	private boolean enforced;

	private boolean waiting;

	private int waitedFor;

	private @Nullable String clientAddress;

	private RequestLimits(PermitLedger ledger) {
		this.ledger = ledger;
	}

	static @Nullable RequestLimits find(HttpServletRequest request) {
		return (RequestLimits) request.getAttribute(ATTRIBUTE);
	}

	static RequestLimits of(HttpServletRequest request, RateLimitClock clock) {
		RequestLimits limits = find(request);
		if (limits == null) {
			limits = new RequestLimits(new PermitLedger(clock));
			request.setAttribute(ATTRIBUTE, limits);
		}
		return limits;
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
	 * @param enforced whether there is nothing left to enforce when it is called
	 */
	void enter(Method handler, boolean enforced) {
		this.handler = handler;
		this.enforced = enforced;
	}

	/**
	 * Whether a policy was asked for a handler of an earlier dispatch.
	 * @param limiter enforces the policy
	 * @return {@code true} if it must not be asked again
	 */
	boolean isAsked(PolicyLimiter limiter) {
		for (int i = 0; i < this.asked.size(); i++) {
			if (this.asked.get(i).limiter() == limiter) {
				return true;
			}
		}
		return false;
	}

	void addAsked(List<PermitRequest> asked) {
		List<PermitRequest> all = asked;
		if (!this.asked.isEmpty()) {
			all = new ArrayList<>(this.asked);
			all.addAll(asked);
		}
		this.asked = all;
	}

	boolean consumeEnforced(Method method) {
		if (this.enforced && isHandler(method)) {
			this.enforced = false;
			return true;
		}
		return false;
	}

	boolean isHandler(Method method) {
		Method handler = this.handler;
		if (handler == null || handler.equals(method)) {
			return handler != null;
		}
		return handler.getName().equals(method.getName())
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
