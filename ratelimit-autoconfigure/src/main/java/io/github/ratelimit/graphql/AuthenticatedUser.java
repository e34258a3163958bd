package io.github.ratelimit.graphql;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

/**
 * Finds the user that the calling thread acts for.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface AuthenticatedUser {

	/**
	 * Finds the user.
	 * @return the user, or {@code null} if there is none
	 */
	@Nullable Principal find();

}
