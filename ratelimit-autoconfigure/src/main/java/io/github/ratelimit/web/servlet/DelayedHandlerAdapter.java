package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.policy.StoreRateLimiter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;

/**
 * Lets a request to Spring MVC wait at the last moment before its handler is called:
 * after all filters and interceptors, whichever dispatches they are for. Calls handlers
 * through the adapter that would have called them otherwise.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DelayedHandlerAdapter implements HandlerAdapter {

	private final Supplier<List<HandlerAdapter>> adapters;

	private final ServletRateLimits limits;

	/* Whether any policy makes a request wait. */
	private volatile boolean delaying;

	DelayedHandlerAdapter(Supplier<Stream<HandlerAdapter>> adapters, ServletRateLimits limits) {
		this.adapters = SingletonSupplier.of(() -> adapters.get().filter((adapter) -> adapter != this).toList());
		this.limits = limits;
		limits.registry.observe((limiter) -> {
			if (limiter instanceof StoreRateLimiter store && store.isDelaying()) {
				this.delaying = true;
			}
		});
	}

	@Override
	public boolean supports(Object handler) {
		return this.delaying;
	}

	@Override
	public @Nullable ModelAndView handle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		LimitedServletRequest limited = LimitedServletRequest.find(request);
		if (limited != null && !this.limits.dispatch.letWait(limited, request, response)) {
			return null;
		}

		for (HandlerAdapter adapter : this.adapters.get()) {
			if (adapter.supports(handler)) {
				return adapter.handle(request, response, handler);
			}
		}
		throw new ServletException("No adapter for handler [" + handler + "]");
	}

}
