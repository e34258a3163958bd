package io.github.ratelimit.annotation;

import java.util.List;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.DelayScheduler;
import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.request.LimitedRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Enforces {@link io.github.ratelimit.annotation.RateLimited} around a method, unless the
 * web stack has done so before the method's arguments were read.
 *
 * @since 0.1.0
 */
public final class RateLimitedInterceptor implements AutoCloseable {

	private final RateLimitedMethods methods;

	private final CurrentRequests current;

	private final DelayScheduler delayScheduler;

	/**
	 * Creates the interceptor.
	 * @param methods knows the limits of each method
	 * @param current the request that a thread is serving
	 * @param delayScheduler lets calls wait
	 */
	public RateLimitedInterceptor(RateLimitedMethods methods, CurrentRequests current, DelayScheduler delayScheduler) {
		this.methods = methods;
		this.current = current;
		this.delayScheduler = delayScheduler;
	}

	/**
	 * Tells code what was decided on the call and the request that its thread is in.
	 * @return looks it up whenever it is asked
	 */
	public RateLimitInfo info() {
		return this.current.info(this.methods.registry());
	}

	/*
	 * The type whose annotations hold is not the target's where that does not implement
	 * what it is called by.
	 */
	@Nullable Object invoke(MethodInvocation invocation, @Nullable Class<?> type) throws Throwable {
		LimitedRequest request = this.current.find();
		if (request.consumeEnforced(invocation.getMethod())) {
			return proceedEnforced(invocation, request, type);
		}

		LimitedMethod method = limitedMethod(invocation, type);
		if (method.isLeftToHandlers() || method.isUnlimited()) {
			return invocation.proceed();
		}

		LimitedCall call = LimitedCall.of(invocation, method, this.current, request);
		if (call == null) {
			return proceedUnasked(invocation);
		}
		return call.enforce(method, this.delayScheduler);
	}

	private @Nullable Object proceedUnasked(MethodInvocation invocation) throws Throwable {
		if (this.current.isAsked()) {
			return this.current.make(List.of(), invocation::proceed);
		}
		return invocation.proceed();
	}

	private @Nullable Object proceedEnforced(MethodInvocation invocation, LimitedRequest request,
			@Nullable Class<?> type) throws Throwable {
		if (!(request instanceof LimitedHttpRequest http)) {
			return invocation.proceed();
		}

		AcquisitionEntry rejection = http.consumeFallback();
		if (rejection == null) {
			return ObservedCall.proceed(invocation, http, false);
		}
		return ObservedCall.proceed(limitedMethod(invocation, type).inPlaceOf(invocation, rejection), http, false);
	}

	private LimitedMethod limitedMethod(MethodInvocation invocation, @Nullable Class<?> type) {
		Class<?> annotatedType = (type != null) ? type : type(invocation);
		return this.methods.limitedMethod(invocation.getMethod(), annotatedType);
	}

	private static Class<?> type(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return (target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass();
	}

	/**
	 * Rejects the calls that wait without a thread.
	 */
	@Override
	public void close() {
		this.delayScheduler.close();
	}

}
