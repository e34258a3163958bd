package io.github.ratelimit.web.reactive;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.request.LimitedHttpRequest;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;

/**
 * An exchange whose request learns that the server has left the body of the response
 * before it was over. For a server whose client has gone that may be all that tells it:
 * to Netty the response is complete then.
 */
final class WatchedExchange extends ServerWebExchangeDecorator {

	private final ServerHttpResponse response;

	WatchedExchange(ServerWebExchange exchange, LimitedHttpRequest request) {
		super(exchange);
		ServerHttpResponse response = exchange.getResponse();
		if (response instanceof ZeroCopyHttpOutputMessage) {
			this.response = new WatchedFileResponse(response, request);
		}
		else {
			this.response = new WatchedResponse(response, request);
		}
	}

	@Override
	public ServerHttpResponse getResponse() {
		return this.response;
	}

	private static class WatchedResponse extends ServerHttpResponseDecorator {

		private final LimitedHttpRequest request;

		WatchedResponse(ServerHttpResponse response, LimitedHttpRequest request) {
			super(response);
			this.request = request;
		}

		@Override
		public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
			AtomicBoolean open = new AtomicBoolean();
			return super.writeWith(watch(body, open)).doOnTerminate(() -> leave(open));
		}

		@Override
		public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			AtomicBoolean open = new AtomicBoolean();
			return super.writeAndFlushWith(watch(body, open)).doOnTerminate(() -> leave(open));
		}

		/*
		 * Servers send a Mono in another way. They may cancel what has completed.
		 */
		private <T> Publisher<T> watch(Publisher<T> body, AtomicBoolean open) {
			if (body instanceof Mono<T> whole) {
				return whole.doFirst(() -> open.set(true))
					.doOnTerminate(() -> open.set(false))
					.doOnCancel(() -> leave(open));
			}
			return Flux.from(body)
				.doFirst(() -> open.set(true))
				.doOnTerminate(() -> open.set(false))
				.doOnCancel(() -> leave(open));
		}

		private void leave(AtomicBoolean open) {
			if (open.get()) {
				this.request.noteCancelled();
			}
		}

	}

	/**
	 * A response that a server can send a file to as it is.
	 */
	private static final class WatchedFileResponse extends WatchedResponse implements ZeroCopyHttpOutputMessage {

		private final ZeroCopyHttpOutputMessage files;

		WatchedFileResponse(ServerHttpResponse response, LimitedHttpRequest request) {
			super(response, request);
			this.files = (ZeroCopyHttpOutputMessage) response;
		}

		@Override
		public Mono<Void> writeWith(Path file, long position, long count) {
			return this.files.writeWith(file, position, count);
		}

	}

}
