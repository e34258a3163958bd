package io.github.ratelimit.web.servlet;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Finds the path that the application itself will match a request by: Spring MVC matches
 * the path as it was sent, segment by segment; any other servlet was chosen by the path
 * that the container has decoded and normalised. In a forward or an include it is the
 * target's.
 */
final class ServletPaths {

	/* Of the container's path nothing is left to decode. */
	private static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

	/* By the names of servlets, which the application has a fixed number of. */
	private final ConcurrentMap<String, Boolean> dispatchers = new ConcurrentHashMap<>();

	private final @Nullable Class<?> dispatcherType;

	/**
	 * Creates the paths.
	 * @param dispatcherType the class of Spring MVC's servlet, or {@code null} without
	 * Spring MVC
	 */
	ServletPaths(@Nullable Class<?> dispatcherType) {
		this.dispatcherType = dispatcherType;
	}

	/**
	 * The path as it was sent.
	 * @param request the request
	 * @return the path, with the context path, not decoded
	 */
	static String sent(HttpServletRequest request) {
		String included = included(request, RequestDispatcher.INCLUDE_REQUEST_URI);
		return (included != null) ? included : request.getRequestURI();
	}

	/**
	 * Parses the path as Spring MVC does. A path that was parsed before may be another
	 * dispatch's, or of another length, so that it is not used.
	 * @param request a request to Spring MVC
	 * @return the path within the application and the servlet, or {@code null} if it
	 * cannot be parsed, so that Spring MVC will not match it either
	 */
	static @Nullable PathContainer parsed(HttpServletRequest request) {
		try {
			return ServletRequestPathUtils.parse(request).pathWithinApplication();
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Reads a path in which nothing has to be decoded.
	 * @param path the path
	 * @return its segments
	 */
	static PathContainer literal(String path) {
		return PathContainer.parsePath(path, DECODED);
	}

	/**
	 * The path that the container has decoded and normalised.
	 * @param request the request
	 * @return the path within the application and, for Spring MVC, within its servlet
	 */
	String decoded(HttpServletRequest request) {
		String included = included(request, RequestDispatcher.INCLUDE_SERVLET_PATH);
		String servlet = (included != null) ? included : request.getServletPath();
		String inner = (included != null) ? included(request, RequestDispatcher.INCLUDE_PATH_INFO)
				: request.getPathInfo();
		String info = (inner != null) ? inner : "";
		boolean within = mapping(request).getMappingMatch() == MappingMatch.PATH && isForDispatcher(request);
		return within ? info : servlet + info;
	}

	/**
	 * What chose the servlet that will serve the request.
	 * @param request the request
	 * @return the mapping
	 */
	static HttpServletMapping mapping(HttpServletRequest request) {
		if (request.getDispatcherType() == DispatcherType.INCLUDE
				&& request.getAttribute(RequestDispatcher.INCLUDE_MAPPING) instanceof HttpServletMapping mapping) {
			return mapping;
		}
		return request.getHttpServletMapping();
	}

	private static @Nullable String included(HttpServletRequest request, String attribute) {
		return (request.getDispatcherType() == DispatcherType.INCLUDE) ? (String) request.getAttribute(attribute)
				: null;
	}

	boolean isForDispatcher(HttpServletRequest request) {
		if (this.dispatcherType == null) {
			return false;
		}
		String servlet = mapping(request).getServletName();
		Boolean known = this.dispatchers.get(servlet);
		if (known == null) {
			known = isDispatcher(request.getServletContext(), servlet, this.dispatcherType);
			this.dispatchers.put(servlet, known);
		}
		return known;
	}

	private static boolean isDispatcher(ServletContext context, String servlet, Class<?> dispatcherType) {
		ServletRegistration registration = context.getServletRegistration(servlet);
		if (registration == null || registration.getClassName() == null) {
			return false;
		}
		try {
			return dispatcherType
				.isAssignableFrom(ClassUtils.forName(registration.getClassName(), context.getClassLoader()));
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

}
