package io.github.ratelimit.web.servlet;

import java.util.concurrent.Callable;

import io.github.ratelimit.request.LimitedHttpRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * What is known of a request that Spring MVC handles asynchronously: whether a thread of
 * its own runs the handler's {@code Callable}, for which request, and what the handler
 * has come to.
 */
final class ConcurrentHandling implements CallableProcessingInterceptor {

	private static final ThreadLocal<@Nullable LimitedHttpRequest> CURRENT = new ThreadLocal<>();

	private final LimitedHttpRequest limited;

	private volatile boolean working;

	private ConcurrentHandling(LimitedHttpRequest limited) {
		this.limited = limited;
	}

	/**
	 * Watches what a handler may return, if its request is charged.
	 * @param request the request, before its handler is called
	 * @param limited what is known of it
	 */
	static void watch(HttpServletRequest request, LimitedHttpRequest limited) {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		if (manager.getCallableInterceptor(ConcurrentHandling.class) == null) {
			manager.registerCallableInterceptor(ConcurrentHandling.class, new ConcurrentHandling(limited));
		}
	}

	/**
	 * Finds the request that the calling thread runs a handler's {@code Callable} for.
	 * @return the request, or {@code null} if there is none, or it is not watched
	 */
	static @Nullable LimitedHttpRequest current() {
		return CURRENT.get();
	}

	@Override
	public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
		CURRENT.set(this.limited);
		this.working = true;
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object concurrentResult) {
		CURRENT.remove();
		this.working = false;
	}

	/**
	 * Notes what an asynchronous handler has come to.
	 * @param request the request, dispatched again
	 * @param limited what is known of it
	 * @param returned what the handler has returned
	 */
	static void noteResult(HttpServletRequest request, LimitedHttpRequest limited, @Nullable Object returned) {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		if (!isConcurrent(returned) || !manager.hasConcurrentResult()) {
			return;
		}
		Object concurrent = manager.getConcurrentResult();
		if (concurrent instanceof Throwable failure) {
			limited.endCall(null, failure);
		}
		else {
			limited.endCall(concurrent, null);
		}
	}

	private static boolean isConcurrent(@Nullable Object result) {
		return result instanceof Callable<?> || result instanceof DeferredResult<?>
				|| result instanceof WebAsyncTask<?>;
	}

	/**
	 * Whether the application has an answer of its own to the time-out that the server
	 * has just reported, and has nothing left to do.
	 * @param request the request that has taken too long
	 */
	static boolean isAnsweredInTime(HttpServletRequest request) {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		if (isWorking(manager) || request.isAsyncStarted()) {
			return false;
		}
		return !(manager.getConcurrentResult() instanceof AsyncRequestTimeoutException);
	}

	private static boolean isWorking(WebAsyncManager manager) {
		return manager.getCallableInterceptor(ConcurrentHandling.class) instanceof ConcurrentHandling handling
				&& handling.working;
	}

}
