package io.github.ratelimit.web.reactive;

import io.github.ratelimit.RateLimitExceededException;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;

/**
 * Answers requests that were rejected outside of handlers, such as by a method that a
 * filter calls.
 *
 * @param rejections answers those that are rejected
 */
record RateLimitExceptionHandler(RateLimitRejections rejections) implements WebExceptionHandler, Ordered {

	/* Before the one that Spring Boot answers all errors with. */
	private static final int ORDER = -2;

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
		RateLimitExceededException rejection = RateLimitRejections.find(thrown);
		if (rejection == null) {
			return Mono.error(thrown);
		}
		if (exchange.getResponse().isCommitted()) {
			return abort(exchange.getResponse()) ? Mono.empty() : Mono.error(thrown);
		}
		return this.rejections.reject(rejection, LimitedExchange.of(exchange, this.rejections.limits), exchange);
	}

	/*
	 * Ends a response that was half sent when the rest of it was rejected, as a stream
	 * may be. Spring and Netty would log two errors before the connection is closed.
	 */
	private static boolean abort(ServerHttpResponse response) {
		try {
			if (ServerHttpResponseDecorator.getNativeResponse(response) instanceof Disposable connection) {
				connection.dispose();
				return true;
			}
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			// it has none, as that of a test
		}
		return false;
	}

	@Override
	public int getOrder() {
		return ORDER;
	}

}
