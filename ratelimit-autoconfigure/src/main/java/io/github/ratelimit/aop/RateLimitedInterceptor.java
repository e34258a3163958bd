package io.github.ratelimit.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.enforce.CurrentRequest;
import io.github.ratelimit.enforce.PolicyBinding;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * Enforces {@link io.github.ratelimit.annotation.RateLimited} around a method, unless the
 * web stack has done so before the method's arguments were read.
 */
public final class RateLimitedInterceptor implements MethodInterceptor {

	private final Map<MethodClassKey, LimitedMethod> methods = new ConcurrentHashMap<>();

	private final RateLimitedMethods annotated;

	private final CurrentRequest current;

	private final Waiter waiter;

	/**
	 * Creates the aspect.
	 * @param annotated knows the limits of each method
	 * @param current the request that a thread is serving
	 * @param executor runs methods that return a future once their wait is over
	 * @param virtualThreads whether methods are called by virtual threads
	 */
	public RateLimitedInterceptor(RateLimitedMethods annotated, CurrentRequest current, Executor executor,
			boolean virtualThreads) {
		this(annotated, current, new SystemWaiter(executor, virtualThreads));
	}

	RateLimitedInterceptor(RateLimitedMethods annotated, CurrentRequest current, Waiter waiter) {
		this.annotated = annotated;
		this.current = current;
		this.waiter = waiter;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		return invoke(invocation,
				(target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass());
	}

	/*
	 * The type whose annotations hold is not the target's where that does not implement
	 * what it is called by.
	 */
	@Nullable Object invoke(MethodInvocation invocation, Class<?> type) throws Throwable {
		if (this.current.consumeEnforced(invocation.getMethod())) {
			return invocation.proceed();
		}
		LimitedMethod method = limitedMethod(invocation.getMethod(), type);
		if (method.bindings().isEmpty()) {
			return invocation.proceed();
		}
		LimitedCall call = LimitedCall.of(invocation, method, this.current);
		return call.isUnlimited() ? invocation.proceed() : method.enforcement().enforce(call);
	}

	private LimitedMethod limitedMethod(Method method, Class<?> type) {
		MethodClassKey key = new MethodClassKey(method, type);
		LimitedMethod found = this.methods.get(key);
		return (found != null) ? found : this.methods.computeIfAbsent(key, (absent) -> read(method, type));
	}

	private LimitedMethod read(Method method, Class<?> targetClass) {
		List<PolicyBinding> bindings = this.annotated.find(method, targetClass);
		return new LimitedMethod(AopUtils.getMostSpecificMethod(method, targetClass), bindings,
				Enforcement.of(method.getReturnType(), this.waiter));
	}

}
