package io.github.ratelimit.web.reactive;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpCookie;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * What expressions see of an exchange, whatever matched its path.
 */
interface ExchangeView extends RequestView {

	@Override
	ServerHttpRequest request();

	@Override
	default @Nullable String header(String name) {
		return request().getHeaders().getFirst(name);
	}

	@Override
	default @Nullable String cookie(String name) {
		HttpCookie cookie = request().getCookies().getFirst(name);
		return (cookie != null) ? cookie.getValue() : null;
	}

	@Override
	default String method() {
		return request().getMethod().name();
	}

}
