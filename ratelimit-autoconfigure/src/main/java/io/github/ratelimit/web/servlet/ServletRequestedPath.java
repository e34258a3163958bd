package io.github.ratelimit.web.servlet;

import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;

/**
 * The path of a servlet request, parsed once at most.
 */
final class ServletRequestedPath implements RequestedPath {

	private final ServletPaths paths;

	private final HttpServletRequest request;

	private final @Nullable String text;

	private @Nullable PathContainer parsed;

	ServletRequestedPath(ServletPaths paths, HttpServletRequest request) {
		this.paths = paths;
		this.request = request;
		this.text = isWhole(request) ? literal(request.getRequestURI()) : null;
	}

	/*
	 * Nothing of the request's path is the application's own, or the servlet's.
	 */
	private static boolean isWhole(HttpServletRequest request) {
		return request.getContextPath().isEmpty()
				&& request.getHttpServletMapping().getMappingMatch() == MappingMatch.DEFAULT;
	}

	/*
	 * Nothing has to be decoded, and no container can make another path of it.
	 */
	private static @Nullable String literal(String path) {
		boolean plain = path.indexOf('%') < 0 && path.indexOf(';') < 0 && !path.contains("//") && !path.contains("/.");
		return plain ? path : null;
	}

	@Override
	public @Nullable String text() {
		return this.text;
	}

	@Override
	public @Nullable PathContainer parsed() {
		if (this.parsed == null) {
			this.parsed = this.paths.path(this.request);
		}
		return this.parsed;
	}

}
