package io.github.ratelimit.web.servlet;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Finds the path that the application itself will match a request by: Spring MVC matches
 * the path as it was sent, segment by segment; any other servlet was chosen by the path
 * that the container has decoded and normalised.
 */
public final class ServletPaths {

	private static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

	private final ConcurrentMap<String, Boolean> dispatchers = new ConcurrentHashMap<>();

	private final @Nullable Class<?> dispatcherType;

	/**
	 * Creates the paths.
	 * @param dispatcherType the class of Spring MVC's servlet, or {@code null} without
	 * Spring MVC
	 */
	public ServletPaths(@Nullable Class<?> dispatcherType) {
		this.dispatcherType = dispatcherType;
	}

	/**
	 * Finds the path.
	 * @param request the request
	 * @return the path within the application, or {@code null} if it cannot be parsed, so
	 * that the application will not match it either
	 */
	@Nullable PathContainer path(HttpServletRequest request) {
		return isForDispatcher(request) ? parsedPath(request) : decodedPath(request);
	}

	private static @Nullable PathContainer parsedPath(HttpServletRequest request) {
		try {
			RequestPath path = ServletRequestPathUtils.hasParsedRequestPath(request)
					? ServletRequestPathUtils.getParsedRequestPath(request) : ServletRequestPathUtils.parse(request);
			return path.pathWithinApplication();
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static PathContainer decodedPath(HttpServletRequest request) {
		String info = request.getPathInfo();
		String path = (info != null) ? request.getServletPath() + info : request.getServletPath();
		return PathContainer.parsePath(path, DECODED);
	}

	boolean isForDispatcher(HttpServletRequest request) {
		if (this.dispatcherType == null) {
			return false;
		}
		String servlet = request.getHttpServletMapping().getServletName();
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
