package io.github.ratelimit.testserver;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/**
 * Users whose password is {@code secret}, and is kept as it is, for either stack. By
 * itself, Spring Security hashes a user's password after the first login, and each login
 * thereafter takes as long as a hash is meant to take.
 */
@Configuration(proxyBeanMethods = false)
public class SecuredUsers {

	private static final List<UserDetails> USERS = Stream.of("ann", "bob", "root")
		.map((name) -> User.withUsername(name).password("secret").roles("USER").build())
		.toList();

	@Bean
	public UserDetailsService userDetails() {
		return new InMemoryUserDetailsManager(USERS);
	}

	@Bean
	MapReactiveUserDetailsService reactiveUserDetails() {
		return new MapReactiveUserDetailsService(USERS);
	}

	@Bean
	public PasswordEncoder passwords() {
		return new PlainPasswords();
	}

	/**
	 * Keeps passwords as they are.
	 */
	public static class PlainPasswords implements PasswordEncoder {

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
