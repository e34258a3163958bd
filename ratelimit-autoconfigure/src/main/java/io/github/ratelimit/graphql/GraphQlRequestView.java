package io.github.ratelimit.graphql;

import java.security.Principal;
import java.util.function.Supplier;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.graphql.server.WebGraphQlRequest;
import org.springframework.http.HttpCookie;

/**
 * What expressions see of a GraphQL request, on whichever thread a field is fetched: so
 * nothing is read from the HTTP request, which may be over by then. A path or an HTTP
 * method does not tell fields apart, and is not there.
 *
 * @param request the GraphQL request, with the headers of its HTTP request or handshake
 * @param clientAddress the client's address
 * @param user asks for the authenticated user
 * @param session the identifier of the HTTP session
 * @param httpRequest the HTTP request whose response it is answered by; {@code null} for
 * a message of a WebSocket session
 */
record GraphQlRequestView(WebGraphQlRequest request, String clientAddress, Supplier<@Nullable Principal> user,
		@Nullable String session, @Nullable Object httpRequest) implements RequestView {

	@Override
	public @Nullable Principal principal() {
		return this.user.get();
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeaders().getFirst(name);
	}

	@Override
	public @Nullable String cookie(String name) {
		HttpCookie cookie = this.request.getCookies().getFirst(name);
		return (cookie != null) ? cookie.getValue() : null;
	}

}
