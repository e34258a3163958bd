package io.github.ratelimit.web.servlet;

import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Finds the path that the application itself will match a request by: Spring MVC matches
 * the path as it was sent, segment by segment; any other servlet was chosen by the path
 * that the container has decoded and normalised. In a forward it is the target's. No rule
 * applies to an include.
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
	 * Parses a path as the application does. One that was parsed before may be another
	 * dispatch's, or of another length, so that it is not used.
	 * @param request the request
	 * @return the path within the application and the servlet, or {@code null} if it
	 * cannot be parsed, so that Spring MVC will not match it either
	 */
	@Nullable PathContainer parsed(HttpServletRequest request) {
		if (!isForDispatcher(request)) {
			return literal(decoded(request));
		}
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
		String info = Objects.requireNonNullElse(request.getPathInfo(), "");
		boolean within = request.getHttpServletMapping().getMappingMatch() == MappingMatch.PATH
				&& isForDispatcher(request);
		return within ? info : request.getServletPath() + info;
	}

	/**
	 * Whether the servlet that was chosen for a request is Spring MVC's.
	 */
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
