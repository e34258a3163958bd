package io.github.ratelimit.web.reactive;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.address.AddressGate;
import io.github.ratelimit.web.address.ClientAddressResolver;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.rules.RulesInForce;
import io.micrometer.context.ContextRegistry;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpMethod;
import org.springframework.http.codec.FormHttpMessageReader;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;

/**
 * Has what all exchanges share when their limits are enforced.
 *
 * @since 0.1.0
 */
public final class ReactiveRateLimits implements Consumer<List<RateLimitRule>> {

	/* The request of each thread, where Reactor brings its context there. */
	private static final ThreadLocal<@Nullable Object> CURRENT = new ThreadLocal<>();

	final ClientAddressResolver clientAddresses;

	final HeaderSettings headers;

	private final PolicyBinder binder;

	final RateLimiterRegistry registry;

	final WaitingRoom room;

	final DelayedExchanges delayed = new DelayedExchanges();

	final FormHttpMessageReader forms;

	final @Nullable McpMessages messages;

	private volatile boolean limiting;

	private volatile boolean charging;

	private volatile boolean delaying;

	/* What operators have decided of addresses. Nearly always nothing. */
	volatile @Nullable AddressGate gate;

	/* Whether the first filter decides by that, so that no later one does. */
	volatile boolean gateFirst;

	/* Finds the route that a gateway has chosen, if there is one. */
	volatile Function<ServerWebExchange, @Nullable ChosenRoute> routes = (exchange) -> null;

	private volatile RulesInForce rules = new RulesInForce(List.of());

	/**
	 * Creates the shared part.
	 * @param clientAddresses finds the client's address
	 * @param headers renders the response's header fields
	 * @param registry knows all policies
	 * @param binder knows what their expressions read
	 * @param room where requests wait
	 * @param codecs read forms, up to a number of bytes
	 * @param messages reads the messages of requests for an MCP server, or {@code null}
	 * if there is none
	 */
	public ReactiveRateLimits(ClientAddressResolver clientAddresses, HeaderSettings headers,
			RateLimiterRegistry registry, PolicyBinder binder, WaitingRoom room, ServerCodecConfigurer codecs,
			@Nullable McpMessages messages) {
		this.clientAddresses = clientAddresses;
		this.headers = headers;
		this.registry = registry;
		this.binder = binder;
		this.room = room;
		this.messages = messages;
		this.forms = codecs.getReaders()
			.stream()
			.filter(FormHttpMessageReader.class::isInstance)
			.map(FormHttpMessageReader.class::cast)
			.findFirst()
			.orElseGet(FormHttpMessageReader::new);

		registry.observe((limiter) -> {
			this.limiting = true;
			if (limiter.policy().charge() != null) {
				this.charging = true;
			}
			if (limiter instanceof StoreRateLimiter store && store.isDelaying()) {
				this.delaying = true;
			}
		});
	}

	/**
	 * Enforces rules in place of those before. Requests that are under way keep the rules
	 * that they began with.
	 * @param rules the rules, which do not change
	 */
	@Override
	public void accept(List<RateLimitRule> rules) {
		this.rules = new RulesInForce(rules);
	}

	/**
	 * Keeps our header fields out of what somebody stores of a response for other
	 * clients, as a gateway's cache does.
	 * @param exchange the exchange, as it is behind what stores its response
	 * @return goes on in place of the exchange
	 */
	public static ServerWebExchange withdrawFields(ServerWebExchange exchange) {
		LimitedExchange limited = LimitedExchange.find(exchange);
		if (limited == null) {
			return exchange;
		}
		return exchange.mutate().response(new WithdrawnFields(exchange.getResponse(), limited)).build();
	}

	/**
	 * Lets requests pass a gate from now on.
	 * @param gate decides on them by their address, or {@code null} if nothing does
	 */
	public void use(@Nullable AddressGate gate) {
		this.gate = gate;
	}

	/**
	 * Lets expressions see the routes of a gateway from now on.
	 * @param routes finds the route that was chosen for an exchange, or {@code null}
	 */
	public void followRoutes(Function<ServerWebExchange, @Nullable ChosenRoute> routes) {
		this.routes = routes;
	}

	/**
	 * Returns the rules that requests begin with.
	 */
	RulesInForce rules() {
		return this.rules;
	}

	/**
	 * Whether any policy limits a request.
	 */
	boolean isLimiting() {
		return this.limiting;
	}

	/**
	 * Whether any policy may read the parameters of a request.
	 */
	boolean mayReadParameters() {
		return this.binder.mayReadParameters();
	}

	/**
	 * Whether any policy charges by outcome.
	 */
	boolean isCharging() {
		return this.charging;
	}

	/**
	 * Whether any policy makes a request wait.
	 */
	boolean isDelaying() {
		return this.delaying;
	}

	/**
	 * Tells what was decided on a request by now, whichever thread asks.
	 * @param exchange the request
	 * @return looks it up whenever it is asked
	 */
	public RateLimitInfo info(ServerWebExchange exchange) {
		return AcquisitionEntry.info(() -> {
			LimitedExchange limited = LimitedExchange.find(exchange);
			if (limited == null) {
				return List.of();
			}
			return limited.reportedEntries();
		}, this.registry);
	}

	/**
	 * Creates what gives handlers what was decided on their request.
	 * @param info tells it of a request
	 * @return a resolver of arguments
	 */
	public static HandlerMethodArgumentResolver argumentResolver(Function<ServerWebExchange, RateLimitInfo> info) {
		return new RateLimitInfoArgumentResolver(info);
	}

	/**
	 * Creates what finds the request that a thread is serving, in an application that has
	 * Reactor bring its context there.
	 * @return a way to find it
	 */
	public static CurrentRequest current() {
		ContextRegistry.getInstance().registerThreadLocalAccessor(LimitedExchange.KEY, CURRENT);
		return ReactiveRateLimits::findCurrent;
	}

	private static @Nullable LimitedRequest findCurrent() {
		if (CURRENT.get() instanceof LimitedRequest request && request.isServed()) {
			return request;
		}
		return null;
	}

	/**
	 * Creates what notes for requests how an authentication has ended.
	 * @return a post-processor of beans
	 */
	public static BeanPostProcessor authenticationOutcomes() {
		return new AuthenticationOutcomes();
	}

	/**
	 * Returns what lets requests wait, and rejects those that still do when the
	 * application stops.
	 * @return a part of the application that is stopped before its server
	 */
	public SmartLifecycle waiting() {
		return this.delayed;
	}

	/**
	 * Watches the first requests, which show what is wrong with rules. Among them are
	 * those that no filter of ours sees.
	 * @param findings where that is added
	 * @return goes around what serves all requests of a server
	 */
	public HttpHandlerDecoratorFactory watch(RateLimitFindings findings) {
		return (handler) -> (request, response) -> {
			Mono<Void> service = handler.handle(request, response);
			if (!this.rules.isWatched()) {
				return service;
			}
			return service.doFinally((signal) -> noteEnd(request, findings));
		};
	}

	private void noteEnd(ServerHttpRequest request, RateLimitFindings findings) {
		if (request.getAttributes().containsKey(AddressGate.DECIDED)) {
			return;
		}
		RulesInForce rules = this.rules;
		ExchangePath path = new ExchangePath(request, null);
		rules.noteTarget(path);
		if (this.limiting && LimitedExchange.isUnseen(request) && request.getMethod() != HttpMethod.OPTIONS) {
			rules.noteUnseen(path, findings);
		}
		rules.noteEnd(findings);
	}

}
