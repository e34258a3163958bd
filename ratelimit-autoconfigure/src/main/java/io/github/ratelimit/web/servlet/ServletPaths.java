package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.rules.RequestedPath;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Finds the path that the application itself will match a request by: Spring MVC matches
 * the path as it was sent, segment by segment; any other servlet was chosen by the path
 * that the container has decoded and normalised. In a forward it is the target's. No rule
 * applies to an include.
 */
final class ServletPaths {

	private static final boolean MVC = ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet",
			ServletPaths.class.getClassLoader());

	/* By the names of servlets, which the application has a fixed number of. */
	private final ConcurrentMap<String, Boolean> dispatchers = new ConcurrentHashMap<>();

	/**
	 * Whether the servlet that was chosen for a request is Spring MVC's.
	 */
	boolean isForDispatcher(HttpServletRequest request) {
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

	/**
	 * The path of a servlet request.
	 */
	static final class ServletPath extends RequestedPath {

		private final ServletPaths paths;

		private final HttpServletRequest request;

		private final @Nullable LimitedServletRequest limited;

		/**
		 * Creates the path of a request.
		 * @param paths tells whom it is for
		 * @param request the request as the filter of the rule has it: an expression may
		 * call what has another view of it
		 * @param limited what is known of it, or {@code null} if rules are not asked
		 */
		ServletPath(ServletPaths paths, HttpServletRequest request, @Nullable LimitedServletRequest limited) {
			// unless something of the path is the application's own, or the servlet's
			super(request.getMethod(), request.getRequestURI(), request.getContextPath().isEmpty()
					&& request.getHttpServletMapping().getMappingMatch() == MappingMatch.DEFAULT);
			this.paths = paths;
			this.request = request;
			this.limited = limited;
		}

		@Override
		protected List<PathContainer> read() {
			boolean dispatched = this.paths.isForDispatcher(this.request);
			String decoded = decoded(dispatched);
			PathContainer parsed = dispatched ? parsed() : PathContainer.parsePath(decoded, DECODED);
			// of a servlet's own path nothing may be left
			List<PathContainer> within = (this.clean && parsed != null && !parsed.value().isEmpty()) ? List.of(parsed)
					: readings(parsed, decoded, (dispatched && parsed != null) ? parsed.value() : null);
			return this.request.getContextPath().equals(this.request.getServletContext().getContextPath()) ? within
					: prefixed(this.request.getRequestURI(), within);
		}

		/*
		 * One that was parsed before may be another dispatch's, or of another length, so
		 * that it is not used. What cannot be parsed Spring MVC will not match either.
		 */
		private @Nullable PathContainer parsed() {
			try {
				return ServletRequestPathUtils.parse(this.request).pathWithinApplication();
			}
			catch (IllegalArgumentException ex) {
				return null;
			}
		}

		/*
		 * As the container has decoded and normalised it: the path within the application
		 * and, for Spring MVC, within its servlet.
		 */
		private String decoded(boolean dispatched) {
			String info = Objects.requireNonNullElse(this.request.getPathInfo(), "");
			boolean within = dispatched && this.request.getHttpServletMapping().getMappingMatch() == MappingMatch.PATH;
			return within ? info : this.request.getServletPath() + info;
		}

		/*
		 * The request, with the rule's pattern in place of a handler's.
		 */
		@Override
		protected @Nullable RequestView view(RateLimitRule rule) {
			LimitedServletRequest limited = this.limited;
			return (limited == null) ? null : new ServletRequestView() {

				@Override
				public HttpServletRequest request() {
					return ServletPath.this.request;
				}

				@Override
				public String path() {
					return rule.pattern().getPatternString();
				}

				@Override
				public @Nullable String pathVariable(String name) {
					return rule.variable(name, ServletPath.this);
				}

				@Override
				public @Nullable Principal principal() {
					return limited.principal(request());
				}

				@Override
				public String clientAddress() {
					return limited.clientAddress();
				}

			};
		}

	}

}
