package io.github.ratelimit.web.servlet;

import java.util.concurrent.Callable;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Knows the request that a thread of Spring MVC runs the handler's {@code Callable} for,
 * so that a failed authentication is noted there too.
 *
 * @param limited the request
 */
record ConcurrentAuthentication(LimitedServletRequest limited) implements CallableProcessingInterceptor {

	private static final ThreadLocal<@Nullable LimitedServletRequest> CURRENT = new ThreadLocal<>();

	/**
	 * Watches what a handler may return, if its request is charged.
	 * @param request the request, before its handler is called
	 * @param limited what is known of it
	 */
	static void watch(HttpServletRequest request, LimitedServletRequest limited) {
		WebAsyncUtils.getAsyncManager(request)
			.registerCallableInterceptor(ConcurrentAuthentication.class, new ConcurrentAuthentication(limited));
	}

	/**
	 * Finds the request that the calling thread runs a {@code Callable} for.
	 */
	static @Nullable LimitedServletRequest current() {
		return CURRENT.get();
	}

	@Override
	public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
		CURRENT.set(this.limited);
		this.limited.working = true;
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object concurrentResult) {
		CURRENT.remove();
		this.limited.working = false;
	}

}
