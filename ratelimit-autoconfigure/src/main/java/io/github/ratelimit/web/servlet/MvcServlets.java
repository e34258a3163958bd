package io.github.ratelimit.web.servlet;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Knows which servlets are Spring MVC's, which decides how a path is matched.
 */
final class MvcServlets {

	private static final boolean MVC = ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet",
			MvcServlets.class.getClassLoader());

	/* Whether it is one, by the name of a servlet; an application has a fixed number. */
	private final ConcurrentMap<String, Boolean> dispatchers = new ConcurrentHashMap<>();

	/**
	 * Whether the servlet that was chosen for a request is Spring MVC's.
	 */
	boolean isTargetOf(HttpServletRequest request) {
		if (!MVC) {
			return false;
		}
		String servlet = request.getHttpServletMapping().getServletName();
		Boolean known = this.dispatchers.get(servlet);
		if (known == null) {
			known = isDispatcher(request.getServletContext(), servlet);
			this.dispatchers.put(servlet, known);
		}
		return known;
	}

	private static boolean isDispatcher(ServletContext context, String servlet) {
		ServletRegistration registration = context.getServletRegistration(servlet);
		if (registration == null || registration.getClassName() == null) {
			return false;
		}
		try {
			return DispatcherServlet.class
				.isAssignableFrom(ClassUtils.forName(registration.getClassName(), context.getClassLoader()));
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

}
