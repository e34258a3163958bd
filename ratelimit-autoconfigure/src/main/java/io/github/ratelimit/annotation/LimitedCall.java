package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * One call of a limited method: what it asks of each policy, worked out when it is made.
 *
 * @param invocation the call
 * @param requests what it asks of each policy
 * @param current the request that a thread is serving
 */
record LimitedCall(MethodInvocation invocation, List<PermitRequest> requests, CurrentRequests current) {

	/**
	 * Works out what a call asks.
	 * @return the call, or {@code null} if no policy's condition holds
	 */
	static @Nullable LimitedCall of(MethodInvocation invocation, LimitedMethod method, CurrentRequests current,
			LimitedRequest request) {
		List<PermitRequest> requests = requests(invocation, method, request);
		return requests.isEmpty() ? null : new LimitedCall(invocation, requests, current);
	}

	/*
	 * What fails because the request has ended meanwhile is no failure.
	 */
	private static List<PermitRequest> requests(MethodInvocation invocation, LimitedMethod method,
			LimitedRequest request) {
		RequestView view = request.view();
		try {
			List<PermitRequest> requests = resolve(invocation, method, view);
			if (view == null || request.isServed()) {
				return requests;
			}
		}
		catch (RuntimeException ex) {
			if (view == null || request.isServed()) {
				throw ex;
			}
		}
		return resolve(invocation, method, null);
	}

	private static List<PermitRequest> resolve(MethodInvocation invocation, LimitedMethod method,
			@Nullable RequestView view) {
		return method
			.resolve(RateLimitContext.ofCall(view, invocation.getThis(), method.method(), invocation.getArguments()));
	}

	Method method() {
		return this.invocation.getMethod();
	}

	/**
	 * Takes the permits, with the request that the calling thread is serving now.
	 * @param needsPlace whether to wait needs a place; {@code false} if the call holds a
	 * thread meanwhile
	 * @return says how long the call must wait before it may proceed
	 * @throws RateLimitExceededException if a policy rejects
	 */
	Acquisition acquire(boolean needsPlace) {
		Acquisition acquisition = this.current.find().acquire(method(), this.requests, needsPlace);
		Acquisition.Entry rejection = acquisition.rejection();
		if (rejection != null) {
			RateLimitExceededException exceeded = new RateLimitExceededException(rejection.policy(),
					rejection.decision());
			if (acquisition.isCharged()) {
				acquisition.endCall(null, exceeded);
			}
			throw exceeded;
		}
		return acquisition;
	}

	/*
	 * A call that proceeds after its caller was given an answer, perhaps more than once,
	 * needs an invocation of its own each time.
	 */
	LimitedCall copy() {
		return (this.invocation instanceof ProxyMethodInvocation original)
				? new LimitedCall(original.invocableClone(), this.requests, this.current) : this;
	}

}
