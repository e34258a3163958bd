package io.github.ratelimit.expression;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.util.ClassUtils;

/**
 * Users as Spring Security knows them, some of whom are no {@link Principal}, and the
 * claims of their tokens. Its types are loaded only where they are present.
 */
final class SecurityUsers {

	static final boolean PRESENT = isPresent("org.springframework.security.core.AuthenticatedPrincipal");

	static final boolean TOKENS_PRESENT = isPresent("org.springframework.security.oauth2.core.ClaimAccessor");

	private SecurityUsers() {
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, SecurityUsers.class.getClassLoader());
	}

	/**
	 * Returns the name of a user.
	 * @param value any value
	 * @return the name, or {@code null} if the value is no user
	 */
	static @Nullable String name(Object value) {
		if (!PRESENT) {
			return null;
		}
		if (value instanceof UserDetails user) {
			return user.getUsername();
		}
		if (value instanceof AuthenticatedPrincipal user) {
			return user.getName();
		}
		return null;
	}

	/**
	 * Whether the values of a type are users.
	 */
	static boolean areOf(Class<?> type) {
		return PRESENT
				&& (UserDetails.class.isAssignableFrom(type) || AuthenticatedPrincipal.class.isAssignableFrom(type));
	}

	/**
	 * Finds a claim.
	 * @param user the authenticated user
	 * @param name the claim's name
	 * @return its value, or {@code null} if the user has no token with such a claim
	 */
	static @Nullable Object claim(@Nullable Principal user, String name) {
		if (!TOKENS_PRESENT || !(user instanceof Authentication authentication)) {
			return null;
		}
		if (authentication.getPrincipal() instanceof ClaimAccessor token) {
			return token.getClaims().get(name);
		}
		if (authentication.getCredentials() instanceof ClaimAccessor token) {
			return token.getClaims().get(name);
		}
		return null;
	}

}
