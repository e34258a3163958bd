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

	/* The name that was typed on each. In a table of your database. */
	private final Map<String, String> known = new ConcurrentHashMap<>();

	private final AuthenticationSuccessHandler next = new SavedRequestAwareAuthenticationSuccessHandler();

	public boolean know(@Nullable String name, @Nullable String device) {
		return name != null && device != null && name.equals(this.known.get(device));
	}

	@Override
	public void onAuthenticationSuccess(HttpServletRequest request, HttpServletResponse response,
			Authentication authentication) throws IOException, ServletException {
		String device = UUID.randomUUID().toString();
		this.known.put(device, request.getParameter("username"));
		ResponseCookie cookie = ResponseCookie.from("device", device)
			.httpOnly(true)
			.sameSite("Strict")
			.maxAge(Duration.ofDays(365))
			.build();
		response.addHeader("Set-Cookie", cookie.toString());
		this.next.onAuthenticationSuccess(request, response, authentication);
	}

}
