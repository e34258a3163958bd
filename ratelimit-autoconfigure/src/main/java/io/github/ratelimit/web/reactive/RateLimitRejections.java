package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.mcp.SentMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;

/**
 * Answers rejected requests: with header fields in any case, and with the body that the
 * application wants. Comes before what answers all errors, and passes on what is no
 * rejection.
 *
 * @since 0.1.0
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class RateLimitRejections implements WebExceptionHandler, SmartInitializingSingleton {

	final ReactiveRateLimits limits;

	private final Supplier<RateLimitRejectionHandler> handler;

	final Supplier<ApplicationAnswers> application;

	private final Supplier<WebExceptionHandler> errorPage;

	private final RateLimitProblem problem;

	/**
	 * Creates the answers.
	 * @param limits what all requests share
	 * @param handlers the application's own answer, looked up when all beans are there:
	 * it may itself need what this is part of
	 * @param context has the application's exception handlers, and its configurations for
	 * other origins
	 * @param errorPage gives what shows a page for an error, or hands the error on if
	 * there is none
	 */
	public RateLimitRejections(ReactiveRateLimits limits, ObjectProvider<RateLimitRejectionHandler> handlers,
			ApplicationContext context, Supplier<WebExceptionHandler> errorPage) {
		this.limits = limits;
		this.handler = SingletonSupplier.of(() -> handlers.getIfAvailable(() -> this::answerByDefault));
		this.application = SingletonSupplier.of(() -> new ApplicationAnswers(context));
		this.errorPage = SingletonSupplier.of(errorPage);
		this.problem = new RateLimitProblem(limits.headers);
	}

	/*
	 * No thread of the server is to wait for another one that looks these up.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.handler.get();
		this.application.get();
	}

	/**
	 * Enforces a policy on the request that is being served and has its handler already,
	 * such as in a filter of a gateway: lets it pass, in time, or answers it. Takes once
	 * what is asked again.
	 * @param binding the policy
	 * @param key a key that was found elsewhere, or {@code null} for the binding's own
	 * @return whether the request may go on; {@code false} if it has been answered
	 */
	public Mono<Boolean> pass(PolicyBinding binding, @Nullable String key) {
		return Mono.deferContextual((context) -> {
			LimitedExchange limited = (LimitedExchange) context.get(LimitedExchange.KEY);
			ServerWebExchange exchange = limited.exchange();
			if (exchange.getResponse().isCommitted()) {
				return Mono.just(false);
			}

			return limited.decide(exchange, List.of(binding), () -> resolve(binding, limited.view(), key),
					limited::letWait, () -> reject(limited, exchange, null).thenReturn(false));
		});
	}

	private static List<PermitRequest> resolve(PolicyBinding binding, ExchangeView view, @Nullable String key) {
		List<RequestView> readings = List.of(view);
		if (binding.mayRead("pathVariable")) {
			readings = view.readings();
		}
		List<PermitRequest> asked = new ArrayList<>(1);
		for (RequestView reading : readings) {
			binding.resolve(RateLimitContext.of(reading), key, asked);
		}
		return asked;
	}

	/**
	 * Enforces a policy as {@link #pass} does, once the key is found. A request without
	 * one, or for which it fails, is limited by the client's address.
	 * @param binding the policy
	 * @param key finds the key
	 * @return whether the request may go on; {@code false} if it has been answered
	 */
	public Mono<Boolean> passOnceFound(PolicyBinding binding, Mono<String> key) {
		return Mono.deferContextual((context) -> {
			LimitedExchange limited = (LimitedExchange) context.get(LimitedExchange.KEY);
			return key.onErrorResume((failure) -> {
				binding.recordFailedKey(failure, RateLimitContext.of(limited.view()));
				return Mono.empty();
			}).defaultIfEmpty("").flatMap((found) -> pass(binding, found));
		});
	}

	/**
	 * Answers a request of a client whose address is denied.
	 * @param exchange the request, of whose response nothing is sent
	 * @return completes when the answer is written
	 */
	static Mono<Void> deny(ServerWebExchange exchange) {
		return write(exchange, HttpStatus.FORBIDDEN, RateLimitProblem.MEDIA_TYPE, RateLimitProblem.denied());
	}

	/**
	 * Answers a request that is rejected before its handler is called, so that no
	 * response has been begun.
	 * @param limited what the request has acquired, of which one is a rejection
	 * @param exchange the request
	 * @param handler the handler
	 * @return completes when the answer is written
	 */
	Mono<Void> reject(LimitedExchange limited, ServerWebExchange exchange, @Nullable HandlerMethod handler) {
		AcquisitionEntry rejection = limited.rejection();
		if (rejection == null || exchange.getResponse().isCommitted()) {
			return Mono.empty();
		}
		return answer(new RateLimitExceededException(rejection.policy(), rejection.decision()), exchange, handler);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Answers a request that something has rejected outside of its handler, or whose
	 * message nobody is to serve.
	 */
	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
		McpMessages messages = this.limits.messages;
		if (messages != null && thrown instanceof RefusedMessageException refused) {
			return refuse(exchange, messages, refused);
		}

		RateLimitExceededException rejection = RateLimitExceededException.find(thrown);
		if (rejection == null) {
			return Mono.error(thrown);
		}
		ServerHttpResponse response = exchange.getResponse();
		if (response.isCommitted()) {
			return breakOff(response, thrown);
		}

		LimitedExchange limited = LimitedExchange.of(exchange, this.limits);
		return this.application.get().allowOrigin(exchange, () -> reject(rejection, limited, exchange, null));
	}

	private Mono<Void> refuse(ServerWebExchange exchange, McpMessages messages, RefusedMessageException refused) {
		byte[] error = messages.refusal(refused.message, refused.refusal);
		return this.application.get()
			.allowOrigin(exchange, () -> write(exchange, refused.getStatusCode(), McpMessages.MEDIA_TYPE, error));
	}

	/*
	 * A stream that was half sent is broken off here, because that is logged as an error
	 * otherwise.
	 */
	private static Mono<Void> breakOff(ServerHttpResponse response, Throwable thrown) {
		return Mono
			.<Void>fromRunnable(() -> ServerHttpResponseDecorator.<Disposable>getNativeResponse(response).dispose())
			.onErrorMap((noConnection) -> thrown);
	}

	/**
	 * Answers a request that something has rejected which its handler called. What the
	 * request has taken is refunded.
	 * @param rejection what was thrown
	 * @param limited what the request has acquired
	 * @param exchange the request, whose response is not committed
	 * @param handler the handler, if it is a method
	 * @return completes when the answer is written
	 */
	Mono<Void> reject(RateLimitExceededException rejection, LimitedExchange limited, ServerWebExchange exchange,
			@Nullable HandlerMethod handler) {
		return ReactivePermits.refundUncharged(limited).then(Mono.defer(() -> {
			limited.add(AcquisitionEntry.ofRejection(this.limits.registry, rejection));
			limited.writeHeaders(rejection.decision());
			exchange.getResponse().getHeaders().clearContentHeaders();
			return answer(rejection, exchange, handler);
		}));
	}

	private Mono<Void> answer(RateLimitExceededException rejection, ServerWebExchange exchange,
			@Nullable HandlerMethod handler) {
		ServerRequestObservationContext.findCurrent(exchange.getAttributes())
			.ifPresent((observed) -> RateLimitProblem.addTo(observed, rejection));
		return this.application.get()
			.handle(rejection, exchange, handler,
					() -> this.handler.get().handle(exchange, rejection.policy(), rejection.decision()));
	}

	/*
	 * The answer is an error of JSON-RPC to a message for an MCP server, a page where the
	 * request prefers HTML, and a problem otherwise.
	 */
	private Mono<Void> answerByDefault(ServerWebExchange exchange, RateLimitPolicy policy, RateLimitDecision decision) {
		HttpStatus status = HttpStatus.valueOf(RateLimitProblem.status(decision));
		McpMessages messages = this.limits.messages;
		if (messages != null && hasMessage(exchange, messages)) {
			String violated = this.problem.violatedPolicies(policy, decision);
			return message(exchange, messages).flatMap((message) -> write(exchange, status, McpMessages.MEDIA_TYPE,
					messages.rejection(message.id(), decision, violated)));
		}
		if (this.application.get().prefersPage(exchange)) {
			return showPage(exchange, policy, decision, status);
		}
		return writeProblem(exchange, policy, decision, status);
	}

	/*
	 * A page that fails must not make a failure of a rejection.
	 */
	private Mono<Void> showPage(ServerWebExchange exchange, RateLimitPolicy policy, RateLimitDecision decision,
			HttpStatus status) {
		ResponseStatusException error = new ResponseStatusException(status, RateLimitProblem.title(decision),
				new RateLimitExceededException(policy, decision));
		return this.application.get()
			.orElse(this.errorPage.get().handle(exchange, error), error, exchange,
					"The error page for rejected requests failed, so that they are answered with a problem",
					() -> writeProblem(exchange, policy, decision, status));
	}

	private static boolean hasMessage(ServerWebExchange exchange, McpMessages messages) {
		return exchange.getRequest().getHeaders().containsHeader(McpMessages.METHOD_FIELD)
				|| isAtEndpoint(exchange, messages);
	}

	private static boolean isAtEndpoint(ServerWebExchange exchange, McpMessages messages) {
		return messages.areAt(new ExchangePath(exchange.getRequest(), null));
	}

	/*
	 * What is sent elsewhere, and only claims to be a message, is not read: its answer
	 * would wait for a body that comes as slowly as the client likes.
	 */
	private static Mono<SentMessage> message(ServerWebExchange exchange, McpMessages messages) {
		if (!isAtEndpoint(exchange, messages)) {
			return Mono.just(SentMessage.unread(Refusal.UNREAD));
		}
		return new MessageExchange(exchange, messages).message();
	}

	private Mono<Void> writeProblem(ServerWebExchange exchange, RateLimitPolicy policy, RateLimitDecision decision,
			HttpStatus status) {
		return write(exchange, status, RateLimitProblem.MEDIA_TYPE, this.problem.body(policy, decision));
	}

	private static Mono<Void> write(ServerWebExchange exchange, HttpStatusCode status, String mediaType, byte[] body) {
		ServerHttpResponse response = exchange.getResponse();
		HttpHeaders fields = response.getHeaders();
		fields.set(HttpHeaders.CONTENT_TYPE, mediaType);
		fields.setContentLength(body.length);
		response.setStatusCode(status);
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
	}

}
