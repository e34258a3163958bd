package io.github.ratelimit.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.enforce.CurrentRequest;
import io.github.ratelimit.enforce.PermitLedger;
import io.github.ratelimit.enforce.PermitRequest;
import io.github.ratelimit.enforce.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.expression.RequestView;
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
		return new LimitedCall(invocation, requests(invocation, method, current), current);
	}

	/*
	 * What fails because the request has ended meanwhile is no failure.
	 */
	private static List<PermitRequest> requests(MethodInvocation invocation, LimitedMethod method,
			CurrentRequest current) {
		RequestView view = current.view();
		List<PermitRequest> requests = null;
		try {
			requests = resolve(invocation, method, view);
		}
		catch (RuntimeException ex) {
			if (view == null || current.isServed(view)) {
				throw ex;
			}
		}
		return (requests != null && (view == null || current.isServed(view))) ? requests
				: resolve(invocation, method, null);
	}

	private static List<PermitRequest> resolve(MethodInvocation invocation, LimitedMethod method,
			@Nullable RequestView view) {
		RateLimitContext context = RateLimitContext.builder()
			.request(view)
			.method(invocation.getThis(), method.method())
			.arguments(invocation.getArguments())
			.build();
		List<PolicyBinding> bindings = method.bindings();
		List<PermitRequest> requests = new ArrayList<>(bindings.size());
		for (int i = 0; i < bindings.size(); i++) {
			PermitRequest request = bindings.get(i).resolve(context);
			if (request != null) {
				requests.add(request);
			}
		}
		return requests;
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
	 * @param needsPlace whether to wait needs a place; {@code false} if the call holds a
	 * thread meanwhile
	 * @return says how long the call must wait before it may proceed
	 * @throws RateLimitExceededException if a policy rejects
	 */
	PermitLedger enter(boolean needsPlace) {
		PermitLedger ledger = this.current.ledger(method());
		boolean allowed = ledger.takeOnce(this.requests, needsPlace);
		this.current.report(ledger);
		PermitLedger.Entry rejection = ledger.rejection();
		if (!allowed && rejection != null) {
			throw new RateLimitExceededException(rejection.request().limiter().policy(), rejection.decision());
		}
		return ledger;
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
