package io.github.ratelimit.web.servlet;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.BackgroundThreads;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Lets requests wait without a thread: suspends a request as if its handler had returned
 * a {@link DeferredResult}, and dispatches it again when its delay is over. So everything
 * that copes with asynchronous handlers copes with the wait.
 */
public final class DelayedDispatch implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(DelayedDispatch.class);

	private static final Object OVER = new Object();

	private static final long NO_TIMEOUT = 0;

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			new BackgroundThreads("ratelimit-delays"));

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates the timer. Its thread starts with the first delay.
	 */
	public DelayedDispatch() {
		this.timer.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Whether a request may go on. If not, it is suspended and will be dispatched again,
	 * or its client is gone; either way the caller has nothing left to do.
	 * @param request the request
	 * @param response the response
	 * @return {@code true} if the request need not wait, or has waited
	 */
	boolean mayProceed(HttpServletRequest request, HttpServletResponse response) throws Exception {
		RequestLimits limits = RequestLimits.find(request);
		if (limits == null) {
			return true;
		}
		if (limits.stopWaiting() && request.getDispatcherType() == DispatcherType.ASYNC) {
			WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
			Object result = manager.getConcurrentResult();
			manager.clearConcurrentResult();
			return result == OVER;
		}
		long delay = limits.delayNanos();
		if (delay <= 0) {
			return true;
		}
		limits.startWaiting();
		if (!request.isAsyncSupported()) {
			limits.stopWaiting();
			sleep(delay, request);
			return true;
		}
		suspend(delay, request, response);
		return false;
	}

	private void suspend(long delay, HttpServletRequest request, HttpServletResponse response) throws Exception {
		DeferredResult<Object> result = new DeferredResult<>(NO_TIMEOUT);
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		manager.setAsyncWebRequest(WebAsyncUtils.createAsyncWebRequest(request, response));
		manager.startDeferredResultProcessing(result);
		Future<?> dispatch = this.timer.schedule(() -> result.setResult(OVER), delay, TimeUnit.NANOSECONDS);
		result.onCompletion(() -> dispatch.cancel(false));
	}

	private void sleep(long delay, HttpServletRequest request) throws ServletException {
		if (this.warned.compareAndSet(false, true)) {
			logger
				.warn("A rate limit delays requests to the servlet '" + request.getHttpServletMapping().getServletName()
						+ "', which blocks a thread each, because the servlet or one of its filters does not support "
						+ "asynchronous processing");
		}
		try {
			TimeUnit.NANOSECONDS.sleep(delay);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new ServletException("Interrupted while a rate limit delayed the request", ex);
		}
	}

	/** Forgets all delays. */
	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
