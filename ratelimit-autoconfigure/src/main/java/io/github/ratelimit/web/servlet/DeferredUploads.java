package io.github.ratelimit.web.servlet;

import java.util.function.Supplier;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.multipart.MultipartResolver;
import org.springframework.web.util.WebUtils;

/**
 * Keeps Spring MVC from parsing an upload before its handler's limits are decided on.
 * {@code DispatcherServlet} parses before it looks for the handler, unless a filter has
 * done so, as {@code MultipartFilter} does: so the request is wrapped as if it were
 * parsed.
 */
final class DeferredUploads {

	private final Supplier<@Nullable MultipartResolver> resolver;

	/**
	 * Creates the uploads.
	 * @param resolver gives the application's resolver, when it is first needed, or
	 * {@code null} if it has none
	 */
	DeferredUploads(Supplier<@Nullable MultipartResolver> resolver) {
		this.resolver = SingletonSupplier.ofNullable(resolver);
	}

	/**
	 * Wraps an upload that nobody has parsed yet.
	 * @param request a request to Spring MVC that has a content type
	 * @return the request to go on with
	 */
	HttpServletRequest defer(HttpServletRequest request) {
		if (request.getDispatcherType() == DispatcherType.ASYNC) {
			return request;
		}
		MultipartResolver resolver = this.resolver.get();
		return (resolver != null && resolver.isMultipart(request)
				&& WebUtils.getNativeRequest(request, MultipartHttpServletRequest.class) == null)
						? new DeferredMultipartRequest(request, resolver) : request;
	}

	/**
	 * Deletes what was stored of an upload, once its last dispatch is over.
	 * @param request the request as the dispatch began
	 * @param deferred the request that the dispatch went on with
	 */
	void endDispatch(HttpServletRequest request, HttpServletRequest deferred) {
		if (deferred.isAsyncStarted() || deferred == request && request.getDispatcherType() != DispatcherType.ASYNC) {
			return;
		}
		DeferredMultipartRequest upload = DeferredMultipartRequest.find(deferred);
		if (upload != null) {
			upload.cleanUp();
		}
	}

}
