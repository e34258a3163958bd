package io.github.ratelimit.graphql;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

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

	/**
	 * Finds the user in Spring Security's context, which Spring for GraphQL brings to the
	 * thread that fetches a field.
	 * @return finds the user, also one that was authenticated within a WebSocket session
	 */
	static AuthenticatedUser ofSecurityContext() {
		return new SecurityContextUser();
	}

	/**
	 * The user of Spring Security's context, which Spring for GraphQL brings to the
	 * thread that fetches a field, also if the user was authenticated within a WebSocket
	 * session.
	 */
	static final class SecurityContextUser implements AuthenticatedUser {

		private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

		@Override
		public @Nullable Principal find() {
			Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
			return this.trust.isAuthenticated(authentication) ? authentication : null;
		}

	}

}
