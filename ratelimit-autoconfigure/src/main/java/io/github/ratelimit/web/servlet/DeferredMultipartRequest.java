package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.util.MultiValueMap;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.multipart.MultipartResolver;
import org.springframework.web.util.WebUtils;

/**
 * An upload whose body is parsed when somebody needs it, and not before. The
 * application's own resolver parses it, at once or lazily as it is configured.
 */
final class DeferredMultipartRequest extends HttpServletRequestWrapper implements MultipartHttpServletRequest {

	private final MultipartResolver resolver;

	private @Nullable MultipartHttpServletRequest resolved;

	DeferredMultipartRequest(HttpServletRequest request, MultipartResolver resolver) {
		super(request);
		this.resolver = resolver;
	}

	static @Nullable DeferredMultipartRequest find(HttpServletRequest request) {
		return WebUtils.getNativeRequest(request, DeferredMultipartRequest.class);
	}

	/**
	 * Has the body parsed, if the request is an upload, since its handler will be called.
	 * @param request the request
	 */
	static void resolve(HttpServletRequest request) {
		DeferredMultipartRequest deferred = find(request);
		if (deferred != null) {
			deferred.resolved();
		}
	}

	private MultipartHttpServletRequest resolved() {
		MultipartHttpServletRequest resolved = this.resolved;
		if (resolved == null) {
			resolved = this.resolver.resolveMultipart((HttpServletRequest) getRequest());
			this.resolved = resolved;
			setRequest(resolved);
		}
		return resolved;
	}

	void cleanUp() {
		if (this.resolved != null) {
			this.resolver.cleanupMultipart(this.resolved);
		}
	}

	@Override
	public @Nullable String getParameter(String name) {
		return resolved().getParameter(name);
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		return resolved().getParameterMap();
	}

	@Override
	public Enumeration<String> getParameterNames() {
		return resolved().getParameterNames();
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		return resolved().getParameterValues(name);
	}

	@Override
	public @Nullable Part getPart(String name) throws IOException, ServletException {
		return resolved().getPart(name);
	}

	@Override
	public Collection<Part> getParts() throws IOException, ServletException {
		return resolved().getParts();
	}

	@Override
	public HttpMethod getRequestMethod() {
		return HttpMethod.valueOf(getMethod());
	}

	@Override
	public HttpHeaders getRequestHeaders() {
		return resolved().getRequestHeaders();
	}

	@Override
	public @Nullable HttpHeaders getMultipartHeaders(String name) {
		return resolved().getMultipartHeaders(name);
	}

	@Override
	public Iterator<String> getFileNames() {
		return resolved().getFileNames();
	}

	@Override
	public @Nullable MultipartFile getFile(String name) {
		return resolved().getFile(name);
	}

	@Override
	public List<MultipartFile> getFiles(String name) {
		return resolved().getFiles(name);
	}

	@Override
	public Map<String, MultipartFile> getFileMap() {
		return resolved().getFileMap();
	}

	@Override
	public MultiValueMap<String, MultipartFile> getMultiFileMap() {
		return resolved().getMultiFileMap();
	}

	@Override
	public @Nullable String getMultipartContentType(String name) {
		return resolved().getMultipartContentType(name);
	}

}
