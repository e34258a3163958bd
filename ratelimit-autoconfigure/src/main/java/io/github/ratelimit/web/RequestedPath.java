package io.github.ratelimit.web;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;

/**
 * The path of a request, which is parsed only if a pattern cannot do with its text.
 *
 * @since 0.1.0
 */
public interface RequestedPath {

	/**
	 * The path within the application as text.
	 * @return the path, or {@code null} if it says something else parsed than it says
	 * literally
	 */
	@Nullable String text();

	/**
	 * The path within the application, parsed.
	 * @return the path, or {@code null} if it cannot be parsed, so that the application
	 * will not match it either
	 */
	@Nullable PathContainer parsed();

	/**
	 * What else the path may be served as: containers normalise paths, and handlers of
	 * resources clean them, after they were matched.
	 * @return the other readings, a small number whatever the path; none if it can be
	 * read in one way only
	 */
	List<PathContainer> readings();

}
