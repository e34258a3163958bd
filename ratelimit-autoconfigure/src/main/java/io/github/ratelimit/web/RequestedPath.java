package io.github.ratelimit.web;

import java.util.List;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;

/**
 * The method and the path of a request. The path is parsed only if a pattern cannot do
 * with its text, and read in other ways only if it is not clean.
 *
 * @since 0.1.0
 */
public abstract class RequestedPath {

	final String method;

	/* Within the application; null if it says something else parsed than literally. */
	final @Nullable String text;

	/** Whether the path says parsed and cleaned what it says literally. */
	protected final boolean clean;

	/**
	 * Creates the path of a request.
	 * @param method the request's method
	 * @param sent the path as it was sent
	 * @param whole whether all of it is within the application
	 */
	protected RequestedPath(String method, String sent, boolean whole) {
		this.method = method;
		this.clean = isClean(sent);
		this.text = (this.clean && whole) ? sent : null;
	}

	private static boolean isClean(String path) {
		char previous = 0;
		for (int i = 0; i < path.length(); i++) {
			char c = path.charAt(i);
			if (c <= ' ' || c >= 0x7F || c == '%' || c == ';' || c == '\\') {
				return false;
			}
			if (previous == '/' && (c == '/' || c == '.')) {
				return false;
			}
			previous = c;
		}
		return true;
	}

	/**
	 * The path within the application, parsed.
	 * @return the path, or {@code null} if it cannot be parsed, so that the application
	 * will not match it either
	 */
	public abstract @Nullable PathContainer parsed();

	/**
	 * What else the path may be served as: containers normalise paths, and handlers of
	 * resources clean them, after they were matched.
	 * @return the other readings, a small number whatever the path; none if it can be
	 * read in one way only
	 */
	public abstract List<PathContainer> readings();

	/**
	 * What expressions see of the request.
	 * @param rule the rule that asks, whose pattern stands in place of a handler's
	 * @return the view, or {@code null} if nothing was requested
	 */
	protected @Nullable RequestView view(RateLimitRule rule) {
		return null;
	}

}
