package io.github.ratelimit.expression;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.util.ClassUtils;

/**
 * The claims of the token that a user was authenticated with, as Spring Security knows
 * them.
 */
final class TokenClaims {

	static final boolean PRESENT = ClassUtils.isPresent("org.springframework.security.oauth2.core.ClaimAccessor",
			TokenClaims.class.getClassLoader());

	private TokenClaims() {
	}

	/**
	 * Finds a claim.
	 * @param user the authenticated user
	 * @param name the claim's name
	 * @return its value, or {@code null} if the user has no token with such a claim
	 */
	static @Nullable Object find(@Nullable Principal user, String name) {
		return (PRESENT && user != null) ? Tokens.claim(user, name) : null;
	}

	/*
	 * Loaded only with Spring Security's tokens.
	 */
	private static final class Tokens {

		private static @Nullable Object claim(Principal user, String name) {
			if (!(user instanceof Authentication authentication)) {
				return null;
			}
			ClaimAccessor token = (authentication.getPrincipal() instanceof ClaimAccessor principal) ? principal
					: (authentication.getCredentials() instanceof ClaimAccessor credentials) ? credentials : null;
			return (token != null) ? token.getClaims().get(name) : null;
		}

	}

}
