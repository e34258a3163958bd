package io.github.ratelimit.web.servlet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.enforce.PermitRequest;
import io.github.ratelimit.enforce.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Enforces the limits of a handler method before its arguments are resolved, so that a
 * malformed body counts too. A handler with an expression that reads its arguments is
 * left to the aspect around it.
 */
public final class RateLimitHandlerInterceptor implements HandlerInterceptor {

	private final ConcurrentMap<MethodClassKey, HandlerLimits> handlers = new ConcurrentHashMap<>();

	private final RateLimitedMethods methods;

	private final ServletRateLimits limits;

	private final RateLimitRejections rejections;

	/**
	 * Creates the interceptor.
	 * @param methods the limits of methods
	 * @param limits the decisions and headers of requests
	 * @param rejections answers those that are rejected
	 */
	public RateLimitHandlerInterceptor(RateLimitedMethods methods, ServletRateLimits limits,
			RateLimitRejections rejections) {
		this.methods = methods;
		this.limits = limits;
		this.rejections = rejections;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		if (!(handler instanceof HandlerMethod method)) {
			return true;
		}
		HandlerLimits handlerLimits = limitsOf(method);
		if (handlerLimits.bindings().isEmpty()) {
			return true;
		}
		RequestLimits limits = this.limits.of(request);
		boolean decided = isDecided(request.getDispatcherType(), method, handlerLimits, limits);
		limits.enter(method.getMethod(), AopUtils.isAopProxy(method.getBean()),
				decided || !handlerLimits.needsArguments());
		if (!decided && handlerLimits.needsArguments()) {
			return true;
		}
		if (decided || limits.ledger().takeOnce(ask(handlerLimits.bindings(), request, method, limits))) {
			this.limits.report(limits, response);
			return true;
		}
		this.rejections.reject(limits, method.getBeanType(), request, response);
		return false;
	}

	/*
	 * A wait and an asynchronous handler both come back to a handler that was decided on.
	 * An error page is no request of its own.
	 */
	private static boolean isDecided(DispatcherType dispatch, HandlerMethod method, HandlerLimits handlerLimits,
			RequestLimits limits) {
		return dispatch == DispatcherType.ERROR || dispatch == DispatcherType.ASYNC && !handlerLimits.needsArguments()
				&& limits.hasEntered(method.getMethod());
	}

	/*
	 * Not the handler itself is the key: Spring MVC makes a new one for each OPTIONS
	 * request.
	 */
	private HandlerLimits limitsOf(HandlerMethod method) {
		MethodClassKey key = new MethodClassKey(method.getMethod(), method.getBeanType());
		HandlerLimits known = this.handlers.get(key);
		if (known == null) {
			known = HandlerLimits.of(this.methods.find(method.getMethod(), method.getBeanType()));
			this.handlers.put(key, known);
		}
		return known;
	}

	private List<PermitRequest> ask(List<PolicyBinding> bindings, HttpServletRequest request, HandlerMethod method,
			RequestLimits limits) {
		List<PermitRequest> asked = new ArrayList<>(bindings.size());
		RateLimitContext context = RateLimitContext.builder()
			.request(new HandlerView(request, limits, this.limits))
			.method(method.getBean(), method.getMethod())
			.build();
		for (int i = 0; i < bindings.size(); i++) {
			PermitRequest permit = bindings.get(i).resolve(context);
			if (permit != null) {
				asked.add(permit);
			}
		}
		return asked;
	}

	/**
	 * What is known of a handler.
	 *
	 * @param bindings its policies
	 * @param needsArguments whether one of them reads its arguments
	 */
	private record HandlerLimits(List<PolicyBinding> bindings, boolean needsArguments) {

		static HandlerLimits of(List<PolicyBinding> bindings) {
			return new HandlerLimits(bindings,
					bindings.stream().anyMatch((binding) -> binding.expressions().needsArguments()));
		}

	}

}
