package io.github.ratelimit.web.servlet;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Gives back the places of requests that were to wait, but ended before: a filter or an
 * interceptor answered them, or something failed.
 */
final class UnusedPlaces {

	private UnusedPlaces() {
	}

	/**
	 * Gives the place of a request back whose dispatch is over. One that somebody has
	 * suspended on the way may still come to its wait.
	 */
	static void leave(HttpServletRequest request, LimitedServletRequest limits) {
		if (request.isAsyncStarted()) {
			request.getAsyncContext().addListener(new LeaveWhenComplete(limits));
		}
		else {
			limits.acquisition().leave();
		}
	}

	private record LeaveWhenComplete(LimitedServletRequest limits) implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
			this.limits.acquisition().leave();
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onError(AsyncEvent event) {
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
			event.getAsyncContext().addListener(this);
		}

	}

}
