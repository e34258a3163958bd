package io.github.ratelimit.web.servlet;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Settles what requests have reserved when the server has done with them: only then is
 * their status the one that the client gets, whichever error page or outer filter has set
 * it.
 */
final class SettledRequests implements ServletRequestListener {

	private final boolean errorsShown;

	/**
	 * Creates the listener.
	 * @param errorsShown whether the server has shown an error page by the time that it
	 * tells of the end of a request; if not, an exception is taken for a 500
	 */
	SettledRequests(boolean errorsShown) {
		this.errorsShown = errorsShown;
	}

	@Override
	public void requestDestroyed(ServletRequestEvent event) {
		if (event.getServletRequest() instanceof HttpServletRequest request) {
			LimitedServletRequest limited = LimitedServletRequest.find(request);
			if (limited != null && limited.isCharged()) {
				end(request, limited, this.errorsShown);
			}
		}
	}

	/**
	 * Settles a request with its filters, where the server does not tell of its end. What
	 * it forwards to, or shows for its errors, is part of it.
	 * @param request the request
	 * @param limited what is known of it
	 */
	static void endDispatch(HttpServletRequest request, LimitedServletRequest limited) {
		DispatcherType dispatch = request.getDispatcherType();
		if (dispatch == DispatcherType.REQUEST || dispatch == DispatcherType.ASYNC) {
			end(request, limited, false);
		}
	}

	/*
	 * Settles a request, unless it goes on asynchronously: then when it is complete.
	 */
	private static void end(HttpServletRequest request, LimitedServletRequest limited, boolean errorShown) {
		if (!request.isAsyncStarted() || !settleWhenComplete(request, limited)) {
			limited.settle(errorShown);
		}
	}

	private static boolean settleWhenComplete(HttpServletRequest request, LimitedServletRequest limited) {
		try {
			request.getAsyncContext().addListener(new SettleWhenComplete(limited));
			return true;
		}
		catch (IllegalStateException ex) {
			// another thread has completed it meanwhile
			return false;
		}
	}

	private record SettleWhenComplete(LimitedServletRequest limited) implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
			this.limited.settle(true);
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onError(AsyncEvent event) {
			if (event.getThrowable() != null) {
				this.limited.noteException(event.getThrowable());
			}
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
			event.getAsyncContext().addListener(this);
		}

	}

}
