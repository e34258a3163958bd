package io.github.ratelimit.integration.documentation.recipes.login;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.authentication.www.BasicAuthenticationConverter;
import org.springframework.stereotype.Component;

/**
 * Which account a request asks for by HTTP Basic. Public, as what expressions call has to
 * be.
 */
@Component("accounts")
public class Accounts {

	private final BasicAuthenticationConverter basic = new BasicAuthenticationConverter();

	public @Nullable String of(HttpServletRequest request) {
		try {
			Authentication credentials = this.basic.convert(request);
			return (credentials != null) ? credentials.getName() : null;
		}
		catch (AuthenticationException ex) {
			return null;
		}
	}

}
