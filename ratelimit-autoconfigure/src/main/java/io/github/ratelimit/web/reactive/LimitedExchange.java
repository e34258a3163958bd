package io.github.ratelimit.web.reactive;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.ReactivePermits.ReactiveRequest;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.rules.RuledRequest;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;

/**
 * A request of a reactive web application. It is an attribute of its exchange, and in the
 * context of all that serves it. What expressions see of it is its {@link ExchangeView}.
 */
final class LimitedExchange extends RuledRequest implements ReactiveRequest {

	private static final String ATTRIBUTE = LimitedExchange.class.getName();

	final ReactiveRateLimits limits;

	private final ServerHttpResponse response;

	private final ExchangeResponseFields fields;

	private final ExchangeView view;

	/* Made once somebody tries to log in. */
	private volatile @Nullable AuthenticationAttempts attempts;

	/*
	 * Decides on a request that looks like a preflight, if somebody checks credentials.
	 */
	private volatile @Nullable Mono<Void> postponed;

	private volatile @Nullable RateLimitDecision rejection;

	/* Whether nobody works for the request any more; its status may not be final yet. */
	private volatile boolean over;

	/* Whether the header fields are set once more when the response is sent. */
	private boolean late;

	private LimitedExchange(ReactiveRateLimits limits, ServerWebExchange exchange) {
		super(limits.rules(), limits.room, Long.MAX_VALUE);
		this.limits = limits;
		this.view = new ExchangeView(exchange, limits.clientAddresses, limits.routes);
		this.response = exchange.getResponse();
		this.fields = new ExchangeResponseFields(this.response, limits.headers);
	}

	/**
	 * Returns what is known of an exchange, which is created on first use.
	 * @param exchange the exchange as the caller has it
	 * @param limits what all exchanges share
	 */
	static LimitedExchange of(ServerWebExchange exchange, ReactiveRateLimits limits) {
		LimitedExchange limited = exchange.getAttribute(ATTRIBUTE);
		if (limited == null) {
			limited = new LimitedExchange(limits, exchange);
			exchange.getAttributes().put(ATTRIBUTE, limited);
		}
		limited.view.use(exchange);
		return limited;
	}

	/**
	 * Finds what is known of an exchange.
	 * @return {@code null} if no policy was asked about it
	 */
	static @Nullable LimitedExchange find(ServerWebExchange exchange) {
		return exchange.getAttribute(ATTRIBUTE);
	}

	/**
	 * Returns the exchange as whoever has asked last has it.
	 */
	ServerWebExchange exchange() {
		return this.view.exchange();
	}

	/**
	 * Whether the request was answered before our filter saw it. Its attributes tell: a
	 * request that forwarded fields were applied to has none, and is taken for one that
	 * our filter has seen.
	 */
	static boolean isUnseen(ServerHttpRequest request) {
		Map<String, Object> attributes = request.getAttributes();
		return !attributes.isEmpty() && !attributes.containsKey(ATTRIBUTE);
	}

	/**
	 * Begins to serve a request, or begins again.
	 * @return what goes on in place of the exchange
	 */
	ServerWebExchange begin(ServerWebExchange exchange) {
		this.over = false;
		ServerHttpRequest request = exchange.getRequest();
		noteMatched(request.getPath().pathWithinApplication().value(), request.getMethod().name());
		ServerWebExchange shared = exchange;
		McpMessages messages = this.limits.messages;
		if (messages != null && rules().areReadingMessages()) {
			shared = this.view.shareMessage(shared, messages);
		}
		shared = this.view.shareForm(shared, this.limits.forms, this.limits.mayReadParameters());
		return this.limits.isCharging() ? new WatchedExchange(shared, this) : shared;
	}

	/**
	 * Serves the request: methods that are called meanwhile belong to it, and what it has
	 * reserved is settled when it is over.
	 * @param service what is done for the request
	 */
	Mono<Void> serve(Mono<Void> service) {
		Mono<Void> watched = service;
		if (this.limits.isCharging()) {
			watched = service.doOnError(this::noteException);
		}
		return watched.doFinally(this::end).contextWrite((context) -> context.put(KEY, this));
	}

	/*
	 * A cancellation only says that the client has gone before it was answered. An
	 * exception, and filters further out, set the status later.
	 */
	private void end(SignalType signal) {
		this.over = true;
		releaseSlot();
		if (!this.limits.isCharging()) {
			return;
		}

		if (signal == SignalType.CANCEL) {
			Integer sent = this.response.isCommitted() ? status() : null;
			ReactivePermits.settle(this, () -> settleCancelled(sent));
		}
		else if (this.response.isCommitted()) {
			settleByFinalStatus();
		}
		else {
			atCommit(this::settleByFinalStatus);
		}
	}

	/*
	 * A gateway accepts a WebSocket before it asks the target, whose answer nobody sees.
	 * The status is then one that was never set.
	 */
	private void settleByFinalStatus() {
		int status = status();
		if (status < HttpStatus.BAD_REQUEST.value() && this.view.isWebSocketOfRoute()) {
			ReactivePermits.settle(this, () -> settleCancelled(null));
			return;
		}
		AuthenticationAttempts attempts = this.attempts;
		if (attempts != null && attempts.areOpen()) {
			noteAuthentication(true);
		}
		ReactivePermits.settle(this, () -> settleByStatus(status));
	}

	private int status() {
		return Objects.requireNonNullElse(this.response.getStatusCode(), HttpStatus.OK).value();
	}

	/*
	 * This costs more than all that is done for a request that does not need it.
	 */
	private void atCommit(Runnable action) {
		this.response.beforeCommit(() -> Mono.fromRunnable(action));
	}

	/**
	 * Sets the header fields for what the policies have said so far, unless the response
	 * is sent. Whether scripts may read it is known when it is sent.
	 * @param rejection the decision that rejected the request, or {@code null} if none
	 * did
	 */
	void writeHeaders(@Nullable RateLimitDecision rejection) {
		this.rejection = rejection;
		if (this.response.isCommitted()) {
			return;
		}
		write();
		if (this.view.header(HttpHeaders.ORIGIN) != null) {
			atCommit(this::expose);
		}
	}

	/**
	 * Sets the header fields once more when the response is sent, beside those that
	 * others have set until then.
	 */
	synchronized void writeHeadersAtCommit() {
		if (this.late) {
			return;
		}
		this.late = true;
		atCommit(() -> {
			write();
			expose();
		});
	}

	/**
	 * Removes the header fields, and sets them again when the response is sent.
	 */
	void withdrawHeaders() {
		if (!this.response.isCommitted()) {
			this.fields.withdraw();
			writeHeadersAtCommit();
		}
	}

	private void write() {
		this.fields.write(reportedEntries(), this.rejection);
	}

	private void expose() {
		if (this.rejection != null || !reportedEntries().isEmpty()) {
			HttpHeaders headers = this.response.getHeaders();
			this.limits.headers.expose(headers::getOrEmpty, headers::add);
		}
	}

	/*
	 * Other calls than that of the handler may be made by several threads at once, which
	 * cannot all set fields.
	 */
	@Override
	public void report(Acquisition acquisition) {
		if (acquisition == this) {
			writeHeaders(null);
		}
		else {
			add(acquisition.entries());
			writeHeadersAtCommit();
		}
	}

	@Override
	public void reportFallback(Acquisition acquisition) {
		AcquisitionEntry rejection = acquisition.rejection();
		if (acquisition == this && rejection != null) {
			writeHeaders(rejection.decision());
		}
	}

	/**
	 * Decides on the request: fetches what the policies' expressions read, evaluates
	 * them, takes the permits, sets the header fields, and goes on. Does it at once if
	 * all that is asked is here. Fails if all allow, but the form is too large, or the
	 * message is refused.
	 * @param exchange the exchange as the caller has it
	 * @param bindings the policies, of which those that are {@link PolicyBinding#isPrompt
	 * prompt} may be missing
	 * @param question says what to ask of them
	 * @param allowed what to do if all policies allow
	 * @param rejected what to do if one rejects
	 */
	<T> Mono<T> decide(ServerWebExchange exchange, List<PolicyBinding> bindings, Supplier<List<PermitRequest>> question,
			Supplier<Mono<T>> allowed, Supplier<Mono<T>> rejected) {
		return decide(exchange, bindings, question, WITHOUT_FALLBACK, allowed, rejected);
	}

	/**
	 * Decides on the request for a handler that may have a fallback.
	 * @param fallback whether a fallback answers a rejection: the request then keeps what
	 * it has taken before
	 * @see #decide(ServerWebExchange, List, Supplier, Supplier, Supplier)
	 */
	<T> Mono<T> decide(ServerWebExchange exchange, List<PolicyBinding> bindings, Supplier<List<PermitRequest>> question,
			Predicate<AcquisitionEntry> fallback, Supplier<Mono<T>> allowed, Supplier<Mono<T>> rejected) {
		this.view.use(exchange);
		if (isExempt()) {
			return allowed.get();
		}

		boolean prompt = true;
		for (int i = 0; i < bindings.size(); i++) {
			prompt &= bindings.get(i).isPrompt();
		}
		if (prompt) {
			return take(question.get(), fallback, allowed, rejected);
		}

		boolean mayBlock = bindings.stream().anyMatch(PolicyBinding::mayBlock);
		return this.view.fetch((word) -> bindings.stream().anyMatch((binding) -> binding.mayRead(word)))
			.then(ReactivePermits.call(mayBlock, question))
			.flatMap((asked) -> take(asked, fallback, allowed, rejected));
	}

	private <T> Mono<T> take(List<PermitRequest> asked, Predicate<AcquisitionEntry> fallback, Supplier<Mono<T>> allowed,
			Supplier<Mono<T>> rejected) {
		if (asked.isEmpty()) {
			return goOn(true, allowed, rejected);
		}
		if (asked.get(0).effectivePolicy().isInProcess()) {
			return goOn(take(asked, true, fallback), allowed, rejected);
		}
		return ReactivePermits.take(this, asked, fallback).flatMap((taken) -> goOn(taken, allowed, rejected));
	}

	private <T> Mono<T> goOn(boolean taken, Supplier<Mono<T>> allowed, Supplier<Mono<T>> rejected) {
		if (taken) {
			writeHeaders(null);
		}
		else {
			writeHeaders(Objects.requireNonNull(rejection()).decision());
		}
		if (this.over) {
			// by another thread, which may have found no slot yet
			releaseSlot();
		}

		if (taken) {
			return failIfUnreadable(allowed);
		}
		return rejected.get();
	}

	/**
	 * Goes on, unless the form is too large, or the message is refused.
	 * @param otherwise goes on
	 */
	<T> Mono<T> failIfUnreadable(Supplier<Mono<T>> otherwise) {
		ResponseStatusException unreadable = this.view.unreadable();
		if (unreadable != null) {
			return Mono.error(unreadable);
		}
		return otherwise.get();
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Fails with 413 if the form is too large.
	 */
	@Override
	public Mono<Void> fetch(Predicate<String> mayRead) {
		return this.view.fetch(mayRead).then(Mono.defer(() -> failIfUnreadable(Mono::empty)));
	}

	/**
	 * Notes who is authenticated, if a charge reads it, and that credentials which came
	 * with the request were right, whoever has checked them: those of a session's user
	 * may be anything.
	 * @param exchange the exchange as it is after Spring Security
	 */
	Mono<Void> noteUser(ServerWebExchange exchange) {
		boolean authorized = isAuthorized() && !isAuthenticationNoted();
		if (!authorized && !isChargedByPrincipal()) {
			return Mono.empty();
		}
		Mono<Principal> fetched = this.view.fetchPrincipal(exchange);
		if (!authorized) {
			return fetched.then();
		}
		return fetched.filterWhen((user) -> hasNoUserOfSession(exchange))
			.doOnNext((user) -> noteAuthentication(false))
			.then();
	}

	private static Mono<Boolean> hasNoUserOfSession(ServerWebExchange exchange) {
		return exchange.getSession()
			.map((session) -> session.getAttributes().values().stream().noneMatch(RuledRequest::isUserOfSession))
			.onErrorReturn(false);
	}

	/**
	 * Lets a request through that looks like a preflight, and decides on it only if
	 * somebody checks its credentials: that of a browser has none.
	 * @param decision decides on it, and fails with a rejection
	 */
	void postpone(Mono<Void> decision) {
		Mono<Void> before = this.postponed;
		Mono<Void> all = (before != null) ? before.then(decision) : decision;
		this.postponed = all.cache();
	}

	@Override
	protected boolean hasFruitlessAttempt() {
		AuthenticationAttempts attempts = this.attempts;
		return attempts != null && attempts.areFruitless();
	}

	/**
	 * Returns the attempts to log in with this request.
	 */
	synchronized AuthenticationAttempts attempts() {
		AuthenticationAttempts attempts = this.attempts;
		if (attempts == null) {
			attempts = new AuthenticationAttempts(this);
			this.attempts = attempts;
		}
		return attempts;
	}

	/**
	 * Decides once on what was postponed, because somebody is about to check credentials.
	 * Who asks again is told the same.
	 * @return fails with a rejection
	 */
	Mono<Void> decidePostponed() {
		Mono<Void> decision = this.postponed;
		return (decision != null) ? decision : Mono.empty();
	}

	/**
	 * Lets the request wait for what it has acquired, right before its handler is called.
	 * @return whether it may go on; {@code false} if it has been answered, because the
	 * application stops
	 */
	Mono<Boolean> letWait() {
		return Mono.defer(() -> {
			long delay = delayNanos();
			if (delay <= 0) {
				releaseSlot();
				return Mono.just(true);
			}
			return this.limits.delayed.await(delay, startWaiting(), this.response)
				.doOnNext((proceeds) -> stopWaiting());
		});
	}

	@Override
	public ExchangeView view() {
		return this.view;
	}

	/*
	 * A publisher that several subscribe to keeps the context of the first.
	 */
	@Override
	public boolean isServed() {
		return !this.over;
	}

}
