package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;

import io.github.ratelimit.annotation.LimitedMethod;
import io.github.ratelimit.annotation.RateLimitedAdvisor;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.expression.RateLimitContext;
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
			return passUnlimited(request);
		}
		LimitedMethod limits = this.methods.limitedMethod(handler.getMethod(), handler.getBeanType());
		if (limits.isUnlimited()) {
			return passUnlimited(request);
		}
		boolean plain = limits.isPlain();
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.rejections.limits);
		limited.servedBy = Thread.currentThread();
		DispatcherType dispatch = request.getDispatcherType();
		boolean charged = this.rejections.limits.charging && limited.isCharged();
		if (charged || !plain && limits.isCharged()) {
			AuthenticationOutcomes.ConcurrentAuthentication.watch(request, limited);
		}
		if (charged && dispatch == DispatcherType.ASYNC) {
			limited.noteConcurrentResult(request);
		}
		boolean around = !plain && (limits.needsArguments()
				|| limits.reservesWithArguments() && RateLimitedAdvisor.limits(handler.getBean()));
		// A wait and an asynchronous handler both come back to a handler that was decided
		// on. An error page is no request of its own.
		boolean decided = dispatch == DispatcherType.ERROR
				|| dispatch == DispatcherType.ASYNC && !around && limited.hasEntered(handler.getMethod());
		limited.enter(handler.getMethod(), AopUtils.isAopProxy(handler.getBean()), decided || !around);
		if (decided) {
			return true;
		}
		if (!around) {
			List<PermitRequest> asked = limits
				.resolve(RateLimitContext.ofCall(limited, handler.getBean(), handler.getMethod(), null), limited);
			if (!limited.take(asked, true)) {
				this.rejections.reject(limited, handler, request, response);
				return false;
			}
			limited.tell(null);
		}
		limited.expose();
		return true;
	}

	private static boolean passUnlimited(HttpServletRequest request) {
		LimitedServletRequest limited = LimitedServletRequest.find(request);
		if (limited != null) {
			limited.expose();
			if (limited.isCharged()) {
				AuthenticationOutcomes.ConcurrentAuthentication.watch(request, limited);
			}
		}
		return true;
	}

}
