package io.github.ratelimit.web.servlet;

import io.github.ratelimit.request.RequestView;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.WebUtils;

/**
 * What expressions see of a servlet request, whatever matched its path.
 */
interface ServletRequestView extends RequestView {

	@Override
	HttpServletRequest request();

	@Override
	default @Nullable String header(String name) {
		return request().getHeader(name);
	}

	/*
	 * A server may fail only the first who asks for a form that it cannot parse. Whoever
	 * logs somebody in then gets what came before the mistake, and so must a key.
	 */
	@Override
	default @Nullable String parameter(String name) {
		try {
			return request().getParameter(name);
		}
		catch (RuntimeException ex) {
			return request().getParameter(name);
		}
	}

	@Override
	default @Nullable String cookie(String name) {
		Cookie cookie = WebUtils.getCookie(request(), name);
		return (cookie != null) ? cookie.getValue() : null;
	}

	@Override
	default String method() {
		return request().getMethod();
	}

	@Override
	default @Nullable String session() {
		HttpSession session = request().getSession(false);
		return (session != null) ? session.getId() : null;
	}

}
