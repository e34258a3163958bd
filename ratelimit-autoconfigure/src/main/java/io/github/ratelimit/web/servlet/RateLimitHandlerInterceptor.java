package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;

import io.github.ratelimit.annotation.LimitedMethod;
import io.github.ratelimit.annotation.RateLimitedAdvisor;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.PermitRequest;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.aop.support.AopUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Enforces the limits of a handler method before its arguments are resolved, so that a
 * malformed body counts too. A handler with an expression that reads its arguments is
 * left to the interceptor around it, and so is one that is charged by its outcome, if it
 * can be.
 *
 * @param methods the limits of methods
 * @param rejections answers those that are rejected
 */
record RateLimitHandlerInterceptor(RateLimitedMethods methods,
		RateLimitRejections rejections) implements HandlerInterceptor {

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object target)
			throws IOException, ServletException {
		if (!(target instanceof HandlerMethod handler)) {
			prepareUnlimited(request);
			return true;
		}
		LimitedMethod limits = this.methods.limitedMethod(handler.getMethod(), handler.getBeanType());
		if (limits.isUnlimited()) {
			prepareUnlimited(request);
			return true;
		}

		LimitedServletRequest limited = serve(request, response);
		boolean plain = limits.isPlain();
		if (!plain || limited.isCharged()) {
			watchOutcome(limited, limits, request);
		}

		boolean around = !plain && isEnforcedAround(limits, handler);
		boolean decided = isDecided(limited, handler, request.getDispatcherType(), around);
		limited.enter(handler.getMethod(), AopUtils.isAopProxy(handler.getBean()), decided || !around);
		if (decided) {
			return true;
		}
		if (!around && !takeOrReject(limited, limits, handler, request, response)) {
			return false;
		}
		limited.passOn();
		return true;
	}

	/* No filter sees an include. */
	private LimitedServletRequest serve(HttpServletRequest request, HttpServletResponse response) {
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.rejections.limits);
		limited.serveOn(Thread.currentThread());
		if (request.getDispatcherType() == DispatcherType.INCLUDE) {
			limited.noteDispatched();
		}
		return limited;
	}

	private static void prepareUnlimited(HttpServletRequest request) {
		LimitedServletRequest limited = LimitedServletRequest.find(request);
		if (limited == null) {
			return;
		}
		limited.passOn();
		if (limited.isCharged()) {
			ConcurrentHandling.watch(request, limited);
		}
	}

	/*
	 * What is charged by its outcome needs to know what an asynchronous handler comes to.
	 */
	private static void watchOutcome(LimitedServletRequest limited, LimitedMethod limits, HttpServletRequest request) {
		boolean charged = limited.isCharged();
		if (charged || limits.isCharged()) {
			ConcurrentHandling.watch(request, limited);
		}
		if (charged && request.getDispatcherType() == DispatcherType.ASYNC) {
			ConcurrentHandling.noteResult(request, limited, limited.returned());
		}
	}

	/*
	 * Whether the limits are left to the interceptor around the handler.
	 */
	private static boolean isEnforcedAround(LimitedMethod limits, HandlerMethod handler) {
		if (limits.needsArguments()) {
			return true;
		}
		return limits.reservesWithArguments() && RateLimitedAdvisor.sees(limits, handler.getBean());
	}

	/*
	 * A wait and an asynchronous handler both come back to a handler that was decided on.
	 * An error page is no request of its own.
	 */
	private static boolean isDecided(LimitedServletRequest limited, HandlerMethod handler, DispatcherType dispatch,
			boolean around) {
		if (dispatch == DispatcherType.ASYNC) {
			return !around && limited.hasEntered(handler.getMethod());
		}
		return dispatch == DispatcherType.ERROR;
	}

	private boolean takeOrReject(LimitedServletRequest limited, LimitedMethod limits, HandlerMethod handler,
			HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
		if (limited.isExempt()) {
			return true;
		}
		List<PermitRequest> asked = limits
			.resolve(RateLimitContext.ofCall(limited, handler.getBean(), handler.getMethod(), null), limited);
		Predicate<AcquisitionEntry> fallback = RateLimitedAdvisor.fallback(limits, handler.getBean());
		if (limited.take(asked, true, fallback)) {
			limited.writeHeaders(null);
			return true;
		}

		AcquisitionEntry rejection = limited.rejection();
		if (rejection != null && fallback.test(rejection)) {
			limited.fallBack();
			limited.writeHeaders(rejection.decision());
			return true;
		}
		this.rejections.reject(limited, handler, request, response);
		return false;
	}

}
