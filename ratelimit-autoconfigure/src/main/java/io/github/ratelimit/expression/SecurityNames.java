package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.util.ClassUtils;

/**
 * The names of users as Spring Security knows them, which are no
 * {@link java.security.Principal}.
 */
final class SecurityNames {

	static final boolean PRESENT = ClassUtils.isPresent("org.springframework.security.core.AuthenticatedPrincipal",
			SecurityNames.class.getClassLoader());

	private SecurityNames() {
	}

	/**
	 * The name of a user.
	 * @param value any value
	 * @return the name, or {@code null} if the value is no user
	 */
	static @Nullable String of(Object value) {
		return PRESENT ? Users.name(value) : null;
	}

	/**
	 * Whether the values of a type are users.
	 */
	static boolean areOf(Class<?> type) {
		return PRESENT && Users.contain(type);
	}

	/*
	 * Loaded only with Spring Security.
	 */
	private static final class Users {

		private static @Nullable String name(Object value) {
			if (value instanceof UserDetails user) {
				return user.getUsername();
			}
			return (value instanceof AuthenticatedPrincipal user) ? user.getName() : null;
		}

		private static boolean contain(Class<?> type) {
			return UserDetails.class.isAssignableFrom(type) || AuthenticatedPrincipal.class.isAssignableFrom(type);
		}

	}

}
