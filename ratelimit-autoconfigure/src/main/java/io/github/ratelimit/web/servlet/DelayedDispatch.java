package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.request.DelayScheduler;
import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.web.DelayedRequests;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Lets requests wait without a thread: suspends a request as if its handler had returned
 * a {@link DeferredResult}, and dispatches it again when its delay is over. So everything
 * that copes with asynchronous handlers copes with the wait. The timer thread starts with
 * the first delay.
 */
final class DelayedDispatch extends DelayedRequests<DeferredResult<Object>> implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(DelayedDispatch.class);

	private static final Object OVER = new Object();

	private static final Object STOPPED = new Object();

	private static final long NO_TIMEOUT = 0;

	/*
	 * It runs what is due on the timer's own thread, because all that a resumed request
	 * does there is to be dispatched.
	 */
	private final DelayScheduler delayScheduler = new DelayScheduler(new SyncTaskExecutor(), false);

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Lets a request wait for what it has acquired, if it still has to. One that cannot
	 * wait on its thread is suspended and will be dispatched again.
	 * @param limited what is known of the request
	 * @param request the request
	 * @param response the response
	 * @return {@code true} if the request need not wait, or has waited; {@code false} if
	 * it is suspended, or its client is gone, so that the caller has nothing left to do
	 */
	boolean letWait(LimitedHttpRequest limited, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		if (limited.stopWaiting() && request.getDispatcherType() == DispatcherType.ASYNC) {
			return resume(request, response);
		}
		long delay = limited.delayNanos();
		if (delay <= 0) {
			limited.releaseSlot();
			return true;
		}

		Runnable slot = limited.startWaiting();
		// what includes goes on when the included returns, and would be dispatched again
		// in its place
		if (!request.isAsyncSupported() || request.getDispatcherType() == DispatcherType.INCLUDE) {
			limited.stopWaiting();
			sleep(delay, slot, request);
			return true;
		}
		suspend(delay, slot, request, response);
		return false;
	}

	private static boolean resume(HttpServletRequest request, HttpServletResponse response) throws IOException {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		Object result = manager.getConcurrentResult();
		manager.clearConcurrentResult();
		if (result == STOPPED) {
			answerStopped(response);
		}
		return result == OVER;
	}

	/*
	 * An error page would be written only after the completion is reported, when the
	 * server may be stopping already.
	 */
	private static void answerStopped(HttpServletResponse response) throws IOException {
		response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
		response.setContentLength(0);
		response.flushBuffer();
	}

	private void suspend(long delay, Runnable slot, HttpServletRequest request, HttpServletResponse response)
			throws ServletException {
		DeferredResult<Object> result = new DeferredResult<>(NO_TIMEOUT);
		add(result);
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		try {
			manager.setAsyncWebRequest(WebAsyncUtils.createAsyncWebRequest(request, response));
			manager.startDeferredResultProcessing(result);
		}
		catch (Exception ex) {
			endWait(result, slot);
			throw new ServletException(ex);
		}

		Runnable cancel = this.delayScheduler.after(delay, () -> endInTime(result, slot), (ex) -> {
		});
		result.onCompletion(() -> {
			cancel.run();
			endWait(result, slot);
		});
	}

	/*
	 * The completion of a request that is suspended once more, by its handler, is not
	 * reported to those who suspended it before.
	 */
	private void endInTime(DeferredResult<Object> result, Runnable slot) {
		result.setResult(OVER);
		endWait(result, slot);
	}

	private void endWait(DeferredResult<Object> result, Runnable slot) {
		remove(result);
		slot.run();
	}

	private void sleep(long delay, Runnable slot, HttpServletRequest request) throws ServletException {
		if (this.warned.compareAndSet(false, true)) {
			logger
				.warn("A rate limit delays requests to the servlet '" + request.getHttpServletMapping().getServletName()
						+ "', which blocks a thread each, because the servlet or one of its filters does not support "
						+ "asynchronous processing, or includes what is delayed");
		}

		try {
			this.delayScheduler.sleep(delay);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new ServletException("Interrupted while a rate limit delayed the request", ex);
		}
		finally {
			slot.run();
		}
	}

	@Override
	protected void reject(DeferredResult<Object> result) {
		result.setResult(STOPPED);
	}

	/** Forgets all delays. */
	@Override
	public void close() {
		this.delayScheduler.close();
	}

}
