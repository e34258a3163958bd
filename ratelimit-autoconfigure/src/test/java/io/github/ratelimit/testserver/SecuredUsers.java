package io.github.ratelimit.testserver;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.core.Authentication;
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

	/** A field whose value is a name, a colon and a password. */
	public static final String FIELD = "X-Login";

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
	 * Checks the passwords of the users.
	 */
	public static AuthenticationManager manager(UserDetailsService users, PasswordEncoder passwords) {
		DaoAuthenticationProvider provider = new DaoAuthenticationProvider(users);
		provider.setPasswordEncoder(passwords);
		return new ProviderManager(provider);
	}

	static @Nullable Authentication credentials(@Nullable String field) {
		if (field == null) {
			return null;
		}
		String[] parts = field.split(":", 2);
		return UsernamePasswordAuthenticationToken.unauthenticated(parts[0], parts[1]);
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
