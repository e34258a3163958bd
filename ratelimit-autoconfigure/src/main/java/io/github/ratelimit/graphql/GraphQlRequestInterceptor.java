package io.github.ratelimit.graphql;

import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.Collections;

import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.ClientAddressResolver;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.graphql.server.WebGraphQlInterceptor;
import org.springframework.graphql.server.WebGraphQlRequest;
import org.springframework.graphql.server.WebGraphQlResponse;
import org.springframework.graphql.server.WebSocketGraphQlRequest;

/**
 * Notes what keys may need of each GraphQL request while it can still be read, and passes
 * it on to the threads that fetch its fields.
 *
 * @since 0.1.0
 */
public final class GraphQlRequestInterceptor implements WebGraphQlInterceptor, Ordered {

	private final ClientAddressResolver clientAddresses;

	private final @Nullable CurrentRequest http;

	private final @Nullable AuthenticatedUser user;

	/**
	 * Creates the interceptor.
	 * @param clientAddresses finds the client's address
	 * @param http the HTTP request that a thread is serving, if that can be known
	 * @param user the user that a thread acts for, in place of the HTTP request's
	 */
	public GraphQlRequestInterceptor(ClientAddressResolver clientAddresses, @Nullable CurrentRequest http,
			@Nullable AuthenticatedUser user) {
		this.clientAddresses = clientAddresses;
		this.http = http;
		this.user = user;
		ContextRegistry.getInstance().registerThreadLocalAccessor(new GraphQlRequests());
	}

	@Override
	public Mono<WebGraphQlResponse> intercept(WebGraphQlRequest request, Chain chain) {
		GraphQlRequestView view = (request instanceof WebSocketGraphQlRequest message) ? ofSession(message)
				: ofHttp(request);
		return chain.next(request).contextWrite((context) -> context.put(GraphQlRequests.KEY, view));
	}

	private GraphQlRequestView ofSession(WebSocketGraphQlRequest message) {
		Principal principal = message.getSessionInfo().getPrincipal().toFuture().getNow(null);
		return new GraphQlRequestView(message, clientAddress(message), user(principal), null, null);
	}

	private GraphQlRequestView ofHttp(WebGraphQlRequest request) {
		LimitedRequest serving = (this.http != null) ? this.http.find() : null;
		RequestView view = (serving != null) ? serving.view() : null;
		if (view == null) {
			return new GraphQlRequestView(request, clientAddress(request), user(null), null, null);
		}
		return new GraphQlRequestView(request, view.clientAddress(), user(view.principal()), view.session(),
				view.request());
	}

	private String clientAddress(WebGraphQlRequest request) {
		InetSocketAddress peer = request.getRemoteAddress();
		return this.clientAddresses.resolve((peer != null) ? peer.getHostString() : null,
				(name) -> Collections.enumeration(request.getHeaders().getOrEmpty(name)));
	}

	private AuthenticatedUser user(@Nullable Principal principal) {
		AuthenticatedUser user = this.user;
		return () -> {
			Principal current = (user != null) ? user.find() : null;
			return (current != null) ? current : principal;
		};
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * First, and so on the thread that serves the request, whatever the application's own
	 * interceptors do.
	 */
	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	/**
	 * The GraphQL request of each thread that fetches a field. Spring for GraphQL brings
	 * it there, as it does with all that context propagation knows.
	 */
	static final class GraphQlRequests implements ThreadLocalAccessor<GraphQlRequestView> {

		static final String KEY = GraphQlRequests.class.getName();

		private static final ThreadLocal<@Nullable GraphQlRequestView> CURRENT = new ThreadLocal<>();

		static @Nullable GraphQlRequestView current() {
			return CURRENT.get();
		}

		@Override
		public Object key() {
			return KEY;
		}

		@Override
		public @Nullable GraphQlRequestView getValue() {
			return CURRENT.get();
		}

		@Override
		public void setValue(GraphQlRequestView value) {
			CURRENT.set(value);
		}

		@Override
		public void setValue() {
			CURRENT.remove();
		}

	}

}
