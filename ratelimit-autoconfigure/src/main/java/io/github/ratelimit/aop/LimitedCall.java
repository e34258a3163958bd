package io.github.ratelimit.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.PermitLedger;
import io.github.ratelimit.PermitRequest;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.expression.CurrentRequest;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * One call of a limited method: what it asks of each policy, worked out when it is made.
 */
final class LimitedCall {

	private final MethodInvocation invocation;

	private final List<PermitRequest> requests;

	private final CurrentRequest current;

	private LimitedCall(MethodInvocation invocation, List<PermitRequest> requests, CurrentRequest current) {
		this.invocation = invocation;
		this.requests = requests;
		this.current = current;
	}

	static LimitedCall of(MethodInvocation invocation, LimitedMethod method, CurrentRequest current) {
		RateLimitContext context = new RateLimitContext(current.view(), invocation.getThis(), method.method(),
				invocation.getArguments());
		List<PolicyBinding> bindings = method.bindings();
		List<PermitRequest> requests = new ArrayList<>(bindings.size());
		for (int i = 0; i < bindings.size(); i++) {
			PermitRequest request = bindings.get(i).resolve(context);
			if (request != null) {
				requests.add(request);
			}
		}
		return new LimitedCall(invocation, requests, current);
	}

	/*
	 * No policy's condition holds.
	 */
	boolean isUnlimited() {
		return this.requests.isEmpty();
	}

	Method method() {
		return this.invocation.getMethod();
	}

	/**
	 * Takes the permits.
	 * @return how many nanoseconds the call must wait before it may proceed
	 * @throws RateLimitExceededException if a policy rejects
	 */
	long enter() {
		PermitLedger ledger = this.current.ledger(method());
		boolean allowed = ledger.takeOnce(this.requests);
		this.current.report(ledger);
		PermitLedger.Entry rejection = ledger.rejection();
		if (!allowed && rejection != null) {
			throw new RateLimitExceededException(rejection.request().limiter().policy(), rejection.decision());
		}
		return ledger.delayNanos();
	}

	@Nullable Object proceed() throws Throwable {
		return this.invocation.proceed();
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
