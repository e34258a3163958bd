package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;

/**
 * Lets a request to Spring MVC wait at the last moment before its handler is called:
 * after all filters and interceptors, whichever dispatches they are for. Calls handlers
 * through the adapter that would have called them otherwise.
 */
final class DelayedHandlerAdapter implements HandlerAdapter, Ordered {

	private final Supplier<List<HandlerAdapter>> adapters;

	private final ServletRateLimits limits;

	private final DelayedDispatch dispatch;

	/**
	 * Creates the adapter.
	 * @param adapters all of the application's adapters
	 * @param limits tells whether any policy delays; if none does, this adapter steps
	 * aside
	 * @param dispatch lets requests wait
	 */
	DelayedHandlerAdapter(ObjectProvider<HandlerAdapter> adapters, ServletRateLimits limits, DelayedDispatch dispatch) {
		this.adapters = SingletonSupplier
			.of(() -> adapters.orderedStream().filter((adapter) -> adapter != this).toList());
		this.limits = limits;
		this.dispatch = dispatch;
	}

	@Override
	public boolean supports(Object handler) {
		return this.limits.delaying;
	}

	@Override
	public @Nullable ModelAndView handle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		LimitedServletRequest limited = LimitedServletRequest.find(request);
		if (limited != null && limited.waits() && !this.dispatch.mayProceed(limited, request, response)) {
			return null;
		}
		for (HandlerAdapter adapter : this.adapters.get()) {
			if (adapter.supports(handler)) {
				return adapter.handle(request, response, handler);
			}
		}
		throw new ServletException("No adapter for handler [" + handler + "]");
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

}
