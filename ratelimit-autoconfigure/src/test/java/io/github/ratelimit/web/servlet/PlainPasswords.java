package io.github.ratelimit.web.servlet;

import org.springframework.security.crypto.password.PasswordEncoder;

/**
 * Passwords as they are. By itself, Spring Security hashes a user's password after the
 * first login, and each login thereafter takes as long as a hash is meant to take.
 */
final class PlainPasswords implements PasswordEncoder {

	@Override
	public String encode(CharSequence password) {
		return password.toString();
	}

	@Override
	public boolean matches(CharSequence password, String encoded) {
		return encoded.contentEquals(password);
	}

}
