package io.github.ratelimit.request;

import org.jspecify.annotations.Nullable;

/**
 * Finds the request that the calling thread is serving, for the limits of methods that
 * are called while it is.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CurrentRequest {

	/**
	 * Finds the request.
	 * @return the request, or {@code null} outside of one
	 */
	@Nullable LimitedRequest find();

}
