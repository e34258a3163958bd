package io.github.ratelimit.autoconfigure;

import java.lang.reflect.Method;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/**
 * Tells the page which token Spring Security wants to see beside its changes, wherever
 * that is kept. Only scripts of the same origin can read the answer.
 */
final class CsrfTokenRequests {

	static final Method HANDLE = ClassUtils.getMethod(CsrfTokenRequests.class, "handle", HttpServletRequest.class);

	public ResponseEntity<?> handle(HttpServletRequest request) {
		return (request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token)
				? ResponseEntity.ok()
					.cacheControl(CacheControl.noStore())
					.body(Map.of("header", token.getHeaderName(), "token", token.getToken()))
				: ResponseEntity.noContent().cacheControl(CacheControl.noStore()).build();
	}

}
