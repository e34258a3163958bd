package io.github.ratelimit.integration.documentation.recipes.login;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseCookie;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.authentication.AuthenticationSuccessHandler;
import org.springframework.security.web.authentication.SavedRequestAwareAuthenticationSuccessHandler;
import org.springframework.stereotype.Component;

/**
 * Which devices have logged in to which account. Public, as what expressions call has to
 * be.
 */
@Component("devices")
public class Devices implements AuthenticationSuccessHandler {

	/* The account of each. In a table of your database. */
	private final Map<String, String> known = new ConcurrentHashMap<>();

	private final AuthenticationSuccessHandler next = new SavedRequestAwareAuthenticationSuccessHandler();

	public boolean know(@Nullable String account, @Nullable String device) {
		return account != null && device != null && account.equals(this.known.get(device));
	}

	@Override
	public void onAuthenticationSuccess(HttpServletRequest request, HttpServletResponse response,
			Authentication authentication) throws IOException, ServletException {
		String device = UUID.randomUUID().toString();
		this.known.put(device, authentication.getName());
		ResponseCookie cookie = ResponseCookie.from("device", device)
			.httpOnly(true)
			.sameSite("Strict")
			.maxAge(Duration.ofDays(365))
			.build();
		response.addHeader("Set-Cookie", cookie.toString());
		this.next.onAuthenticationSuccess(request, response, authentication);
	}

}
