package io.github.ratelimit.graphql;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * The user of Spring Security's context, which Spring for GraphQL brings to the thread
 * that fetches a field, also if the user was authenticated within a WebSocket session.
 */
final class SecurityContextUser implements AuthenticatedUser {

	private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

	@Override
	public @Nullable Principal find() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		return this.trust.isAuthenticated(authentication) ? authentication : null;
	}

}
