package io.github.ratelimit.web.servlet;

import java.util.stream.Stream;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/**
 * Users whose password is {@code secret}, and is kept as it is. By itself, Spring
 * Security hashes a user's password after the first login, and each login thereafter
 * takes as long as a hash is meant to take.
 */
@Configuration(proxyBeanMethods = false)
class SecuredUsers {

	@Bean
	UserDetailsService userDetails() {
		return new InMemoryUserDetailsManager(Stream.of("ann", "bob", "root")
			.map((name) -> User.withUsername(name).password("secret").roles("USER").build())
			.toList());
	}

	@Bean
	PasswordEncoder passwords() {
		return new PlainPasswords();
	}

	static class PlainPasswords implements PasswordEncoder {

		@Override
		public String encode(CharSequence password) {
			return password.toString();
		}

		@Override
		public boolean matches(CharSequence password, String encoded) {
			return encoded.contentEquals(password);
		}

	}

}
