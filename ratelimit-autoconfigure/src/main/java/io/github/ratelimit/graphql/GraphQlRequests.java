package io.github.ratelimit.graphql;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.ReactivePermits.ReactiveRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.address.ClientAddressResolver;
import io.micrometer.context.ContextRegistry;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.Order;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.SchemaMapping;
import org.springframework.graphql.server.WebGraphQlInterceptor;
import org.springframework.graphql.server.WebGraphQlRequest;
import org.springframework.graphql.server.WebGraphQlResponse;
import org.springframework.graphql.server.WebSocketGraphQlRequest;
import org.springframework.http.HttpCookie;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;

/**
 * Notes what keys may need of each GraphQL request while it can still be read, and has it
 * passed on to the threads that fetch its fields. Each call of a method counts: a client
 * may ask for a field any number of times in one request.
 * <p>
 * It is the first interceptor, and so on the thread that serves the request, whatever the
 * application's own do.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class GraphQlRequests implements WebGraphQlInterceptor, CurrentRequest {

	private static final String KEY = GraphQlRequests.class.getName();

	private static final boolean SECURED = ClassUtils.isPresent(
			"org.springframework.security.core.context.SecurityContextHolder", GraphQlRequests.class.getClassLoader());

	/* What is there only once it was fetched, and needs nothing of the body. */
	private static final Set<String> FETCHED = Set.of("principal", "session");

	/*
	 * The request for each thread that fetches a field. Spring for GraphQL brings it
	 * there, as it does with all that context propagation knows.
	 */
	private static final ThreadLocal<@Nullable View> CURRENT = new ThreadLocal<>();

	private final ClientAddressResolver clientAddresses;

	private final WaitingRoom room;

	private final CurrentRequest http;

	private final Predicate<String> mayRead;

	/**
	 * Creates the bridge.
	 * @param clientAddresses finds the client's address
	 * @param room where calls wait without a thread
	 * @param http the HTTP request that a thread is serving, if that can be known
	 * @param mayRead whether limits of methods may read something of a request by a word,
	 * such as {@code principal}
	 */
	GraphQlRequests(ClientAddressResolver clientAddresses, WaitingRoom room, CurrentRequest http,
			Predicate<String> mayRead) {
		this.clientAddresses = clientAddresses;
		this.room = room;
		this.http = http;
		this.mayRead = mayRead;
		ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, CURRENT);
	}

	@Override
	public Mono<WebGraphQlResponse> intercept(WebGraphQlRequest request, Chain chain) {
		View view = view(request);
		return Mono.deferContextual((context) -> complete(view, context))
			.flatMap((known) -> chain.next(request).contextWrite((context) -> context.put(KEY, known)));
	}

	private View view(WebGraphQlRequest request) {
		LimitedRequest serving = null;
		if (!(request instanceof WebSocketGraphQlRequest)) {
			serving = this.http.find();
		}
		RequestView view = (serving != null) ? serving.view() : null;
		if (serving == null || view == null) {
			return new View(request, clientAddress(request), null, null, null, false, new AtomicReference<>());
		}
		return new View(request, view.clientAddress(), view.principal(), view.session(), view.request(),
				serving.isExempt(), new AtomicReference<>());
	}

	/*
	 * On WebFlux, the user is known to whoever subscribes, and so is the HTTP request. A
	 * message of a WebSocket session is no part of its handshake.
	 */
	private Mono<View> complete(View view, ContextView context) {
		if (view.request() instanceof WebSocketGraphQlRequest message) {
			return userOfHandshake(message).map(view::of).defaultIfEmpty(view);
		}
		if (context.getOrDefault(ReactiveRequest.KEY, null) instanceof ReactiveRequest serving) {
			return complete(view, serving);
		}
		return Mono.just(view);
	}

	private Mono<View> complete(View view, ReactiveRequest serving) {
		if (serving.isExempt()) {
			return Mono.just(view.ofExempt());
		}
		return serving.fetch((word) -> FETCHED.contains(word) && this.mayRead.test(word))
			.then(Mono.fromSupplier(() -> view.of(serving.view())));
	}

	private static Mono<Principal> userOfHandshake(WebSocketGraphQlRequest message) {
		return message.getSessionInfo()
			.getPrincipal()
			.filter((user) -> !SECURED || SecurityUser.isKnown(user))
			.onErrorComplete();
	}

	private String clientAddress(WebGraphQlRequest request) {
		return this.clientAddresses.resolve(request.getRemoteAddress(), request.getHeaders()::getOrEmpty);
	}

	@Override
	public @Nullable LimitedRequest find() {
		View view = CURRENT.get();
		if (view == null) {
			return null;
		}
		LimitedRequest serving = this.http.find();
		if (serving != null && isAnsweredBy(view, serving)) {
			return new FieldOfHttpRequest(view, serving);
		}
		if (view.isExempt()) {
			return LimitedRequest.ofExempt(view, this.room);
		}
		return LimitedRequest.ofSeparateCalls(view, this.room);
	}

	private static boolean isAnsweredBy(View view, LimitedRequest serving) {
		RequestView http = serving.view();
		return http != null && http.request() == view.httpRequest();
	}

	/**
	 * A field that the thread of its HTTP request fetches. Only that thread may acquire
	 * permits with the request, and set fields of its response.
	 *
	 * @param view the GraphQL request
	 * @param http the HTTP request
	 */
	private record FieldOfHttpRequest(View view, LimitedRequest http) implements LimitedRequest {

		@Override
		public Acquisition acquisition(Method method) {
			return this.http.acquisition(location(method));
		}

		@Override
		public Acquisition beginCall(Method method) {
			return this.http.beginCall(location(method));
		}

		/*
		 * Each field counts, whichever handler fetches it: a client that chooses fields
		 * is not to be covered by what another one has paid.
		 */
		private Method location(Method method) {
			boolean isHandler = AnnotatedElementUtils.hasAnnotation(method, SchemaMapping.class)
					|| AnnotatedElementUtils.hasAnnotation(method, BatchMapping.class);
			if (!isHandler) {
				return method;
			}
			this.view.first.compareAndSet(null, method);
			return Objects.requireNonNull(this.view.first.get());
		}

		@Override
		public boolean isExempt() {
			return this.http.isExempt();
		}

		@Override
		public void report(Acquisition acquisition) {
			this.http.report(acquisition);
		}

		@Override
		public @Nullable List<AcquisitionEntry> decided() {
			return this.http.decided();
		}

	}

	/**
	 * A GraphQL request as expressions see it, on whichever thread a field is fetched: so
	 * nothing is read from the HTTP request, which may be over by then. There is no path
	 * and no HTTP method, because all fields have the same.
	 *
	 * @param request the GraphQL request, with the headers of its HTTP request or
	 * handshake
	 * @param clientAddress the client's address
	 * @param user the authenticated user, unless the thread that fetches a field knows it
	 * @param session the identifier of the HTTP session
	 * @param httpRequest the HTTP request whose response it is answered by; {@code null}
	 * for a message of a WebSocket session
	 * @param isExempt whether the address of the HTTP request is exempt
	 * @param first the handler that was called first, in whose place all of them pay
	 */
	record View(WebGraphQlRequest request, String clientAddress, @Nullable Principal user, @Nullable String session,
			@Nullable Object httpRequest, boolean isExempt,
			AtomicReference<@Nullable Method> first) implements RequestView {

		View of(Principal user) {
			return new View(this.request, this.clientAddress, user, this.session, this.httpRequest, this.isExempt,
					this.first);
		}

		View of(@Nullable RequestView http) {
			if (http == null) {
				return this;
			}
			return new View(this.request, this.clientAddress, http.principal(), http.session(), this.httpRequest,
					this.isExempt, this.first);
		}

		View ofExempt() {
			return new View(this.request, this.clientAddress, this.user, this.session, this.httpRequest, true,
					this.first);
		}

		@Override
		public @Nullable Principal principal() {
			Principal current = SECURED ? SecurityUser.find() : null;
			return (current != null) ? current : this.user;
		}

		@Override
		public @Nullable String header(String name) {
			return this.request.getHeaders().getFirst(name);
		}

		@Override
		public @Nullable String cookie(String name) {
			HttpCookie cookie = this.request.getCookies().getFirst(name);
			if (cookie == null) {
				return null;
			}
			return cookie.getValue();
		}

	}

	/**
	 * Finds the user that a thread acts for. Spring for GraphQL brings the context to the
	 * thread that fetches a field, also if the user was authenticated within a WebSocket
	 * session.
	 */
	private static final class SecurityUser {

		private static final AuthenticationTrustResolver TRUST = new AuthenticationTrustResolverImpl();

		static boolean isKnown(Principal user) {
			return !(user instanceof Authentication authentication) || TRUST.isAuthenticated(authentication);
		}

		static @Nullable Principal find() {
			Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
			if (!TRUST.isAuthenticated(authentication)) {
				return null;
			}
			return authentication;
		}

	}

}
