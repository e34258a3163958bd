package io.github.ratelimit.web.reactive;

import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.SentForm;
import io.github.ratelimit.web.address.ClientAddressResolver;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.mcp.SentMessage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpCookie;
import org.springframework.http.codec.FormHttpMessageReader;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.MultiValueMap;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebSession;

/**
 * An exchange as expressions see it. Expressions are not reactive: what they will read,
 * and an exchange has only later, is fetched before they are evaluated.
 */
final class ExchangeView implements RequestView {

	/* Spring Security's exchange has this for a user, which it is not. */
	private static final String ANONYMOUS = "org.springframework.security.authentication.AnonymousAuthenticationToken";

	private final ClientAddressResolver clientAddresses;

	private final Function<ServerWebExchange, @Nullable ChosenRoute> routes;

	/* The exchange as whoever has asked last has it. */
	private volatile ServerWebExchange exchange;

	private @Nullable FormExchange form;

	private @Nullable MessageExchange messages;

	private @Nullable String clientAddress;

	private volatile @Nullable Principal principal;

	private volatile @Nullable String session;

	private @Nullable SentForm sent;

	/* The parameters of the form, once it was read. */
	private volatile @Nullable MultiValueMap<String, String> parameters;

	private volatile @Nullable ResponseStatusException unreadable;

	/* The message for an MCP server, once it was read. */
	private volatile @Nullable SentMessage message;

	/**
	 * Creates a view for which nothing was fetched.
	 * @param exchange the exchange
	 * @param clientAddresses finds the client's address
	 * @param routes finds the route of an exchange, if there is a gateway
	 */
	ExchangeView(ServerWebExchange exchange, ClientAddressResolver clientAddresses,
			Function<ServerWebExchange, @Nullable ChosenRoute> routes) {
		this.exchange = exchange;
		this.clientAddresses = clientAddresses;
		this.routes = routes;
	}

	/**
	 * Goes on with the exchange as another caller has it.
	 */
	void use(ServerWebExchange exchange) {
		this.exchange = exchange;
	}

	/**
	 * Returns the exchange as whoever has asked last has it.
	 */
	ServerWebExchange exchange() {
		return this.exchange;
	}

	/**
	 * Sees to it that a form can be read here and by the handler.
	 * @param exchange the exchange as it begins
	 * @param forms reads forms
	 * @param copying whether it is to be read here also after somebody else has read the
	 * body
	 * @return what goes on in place of the exchange
	 */
	ServerWebExchange shareForm(ServerWebExchange exchange, FormHttpMessageReader forms, boolean copying) {
		if (this.form == null || this.form.getDelegate() != exchange) {
			this.form = FormExchange.find(exchange, forms, copying);
		}
		if (this.form == null) {
			return exchange;
		}
		return this.form;
	}

	/**
	 * Sees to it that a message for an MCP server can be read here and by whoever serves
	 * it.
	 * @param exchange the exchange as it begins
	 * @param messages reads messages
	 * @return what goes on in place of the exchange
	 */
	ServerWebExchange shareMessage(ServerWebExchange exchange, McpMessages messages) {
		MessageExchange shared = this.messages;
		if (shared == null || shared.getDelegate() != exchange) {
			shared = new MessageExchange(exchange, messages);
			this.messages = shared;
		}
		return shared;
	}

	/**
	 * Fetches what expressions read. What cannot be fetched is missing for them. A form
	 * that was too large has been eaten.
	 * @param mayRead whether they may read a word, such as {@code principal}
	 * @return completes when all is there
	 */
	Mono<Void> fetch(Predicate<String> mayRead) {
		ServerWebExchange exchange = this.exchange;
		List<Mono<?>> fetched = new ArrayList<>(0);
		if (mayRead.test("principal")) {
			fetched.add(fetchPrincipal(exchange));
		}
		if (mayRead.test("session")) {
			fetched.add(fetchSession(exchange));
		}
		FormExchange form = this.form;
		if (form != null && mayRead.test("parameter") && sent() == SentForm.URLENCODED) {
			fetched.add(fetchParameters(form));
		}

		MessageExchange messages = this.messages;
		if (messages != null && mayRead.test("mcp") && messages.isAt(exchange)) {
			fetched.add(fetchMessage(messages));
		}

		if (fetched.isEmpty()) {
			return Mono.empty();
		}
		return Mono.when(fetched);
	}

	private Mono<SentMessage> fetchMessage(MessageExchange messages) {
		return messages.message().doOnNext((message) -> {
			this.message = message;
			if (message.refusal() != null) {
				this.unreadable = new RefusedMessageException(message, message.refusal());
			}
		});
	}

	private Mono<WebSession> fetchSession(ServerWebExchange exchange) {
		return exchange.getSession()
			.filter(WebSession::isStarted)
			.doOnNext((started) -> this.session = started.getId())
			.onErrorComplete();
	}

	private Mono<MultiValueMap<String, String>> fetchParameters(FormExchange form) {
		return form.readings()
			.doOnNext((parameters) -> this.parameters = parameters)
			.doOnError(ResponseStatusException.class, (failure) -> this.unreadable = failure)
			.onErrorComplete();
	}

	/**
	 * Fetches the authenticated user.
	 * @param exchange the exchange as the caller has it
	 * @return the user, or nothing if there is none
	 */
	Mono<Principal> fetchPrincipal(ServerWebExchange exchange) {
		return exchange.<Principal>getPrincipal()
			.filter((user) -> !user.getClass().getName().equals(ANONYMOUS))
			.doOnNext((user) -> this.principal = user)
			.onErrorComplete();
	}

	/**
	 * Finds why a form or a message could not be read that was fetched.
	 * @return what the request fails with, or {@code null} if all could be read
	 */
	@Nullable ResponseStatusException unreadable() {
		return this.unreadable;
	}

	@Override
	public ServerHttpRequest request() {
		return this.exchange.getRequest();
	}

	@Override
	public String clientAddress() {
		String address = this.clientAddress;
		if (address == null) {
			ServerHttpRequest request = request();
			address = this.clientAddresses.resolve(request.getRemoteAddress(), request.getHeaders()::getOrEmpty);
			this.clientAddress = address;
		}
		return address;
	}

	@Override
	public @Nullable Principal principal() {
		return this.principal;
	}

	@Override
	public @Nullable String session() {
		return this.session;
	}

	private SentForm sent() {
		SentForm sent = this.sent;
		if (sent == null) {
			// Netty adds the field to a stream of HTTP/2
			sent = SentForm.of(request().getHeaders()::getOrEmpty, true);
			this.sent = sent;
		}
		return sent;
	}

	/*
	 * What logs somebody in reads the form, and other handlers the query. A client could
	 * vary the query beside a form that was not read, such as the parts of a multipart
	 * body.
	 */
	@Override
	public List<String> parameters(String name) {
		MultiValueMap<String, String> read = this.parameters;
		if (read == null && sent() != SentForm.NONE) {
			return List.of();
		}
		Map<String, List<String>> ofForm = Map.of();
		if (read != null) {
			ofForm = read;
		}
		try {
			return SentForm.values(name, request().getQueryParams(), ofForm);
		}
		catch (IllegalArgumentException ex) {
			// a query that cannot be decoded here may be read behind a gateway
			return List.of();
		}
	}

	@Override
	public McpMessage mcp() {
		SentMessage message = this.message;
		if (message != null) {
			return message.message();
		}
		MessageExchange messages = this.messages;
		if (messages != null && messages.isAt(this.exchange)) {
			throw new IllegalStateException("The message was not fetched");
		}
		return McpMessage.NONE;
	}

	@Override
	public @Nullable String header(String name) {
		return request().getHeaders().getFirst(name);
	}

	@Override
	public @Nullable String cookie(String name) {
		HttpCookie cookie = request().getCookies().getFirst(name);
		if (cookie == null) {
			return null;
		}
		return cookie.getValue();
	}

	@Override
	public String method() {
		return request().getMethod().name();
	}

	@Override
	public String path() {
		Object pattern = this.exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
		if (pattern != null) {
			return pattern.toString();
		}
		ChosenRoute route = this.routes.apply(this.exchange);
		if (route == null) {
			return request().getPath().pathWithinApplication().value();
		}
		return Objects.requireNonNullElse(route.pattern(), "");
	}

	@Override
	public @Nullable String pathVariable(String name) {
		Map<?, ?> variables = this.exchange.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
		if (variables != null) {
			return (variables.get(name) instanceof String value) ? value : null;
		}
		ChosenRoute route = this.routes.apply(this.exchange);
		if (route == null) {
			return null;
		}
		return route.variable(name);
	}

	/**
	 * Whether a gateway passes the request on as a handshake of WebSocket.
	 */
	boolean isWebSocketOfRoute() {
		ChosenRoute route = this.routes.apply(this.exchange);
		return route != null && route.isWebSocket();
	}

	/**
	 * Returns what expressions of the filter of a route see. Who serves the request may
	 * read its path in another way than the gateway.
	 * @return a view with the variables of each reading of the path, at least one
	 */
	List<RequestView> readings() {
		ChosenRoute route = this.routes.apply(this.exchange);
		RoutePath path = new RoutePath(request());
		if (route == null || path.isReadAlike()) {
			return List.of(this);
		}
		List<RequestView> views = new ArrayList<>();
		for (Map<String, String> variables : path.variables(route.patterns())) {
			views.add(new MatchedView(path(), (name) -> variables.getOrDefault(name, pathVariable(name)), this));
		}
		return views.isEmpty() ? List.of(this) : views;
	}

}
