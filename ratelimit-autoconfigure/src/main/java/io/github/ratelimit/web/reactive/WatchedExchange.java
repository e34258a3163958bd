package io.github.ratelimit.web.reactive;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.request.LimitedHttpRequest;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;

/**
 * An exchange whose request learns that the server has left the body of the response
 * before it was over, or has failed to read that of the request. For a server whose
 * client has gone that may be all that tells it: to Netty the response is complete then,
 * and a body that is cut fails as any connection of the application's own does.
 */
final class WatchedExchange extends ServerWebExchangeDecorator {

	private final ServerHttpRequest request;

	private final ServerHttpResponse response;

	WatchedExchange(ServerWebExchange exchange, LimitedHttpRequest request) {
		super(exchange);
		this.request = new WatchedRequest(exchange.getRequest(), request);
		ServerHttpResponse response = exchange.getResponse();
		if (response instanceof ZeroCopyHttpOutputMessage) {
			this.response = new WatchedFileResponse(response, request);
		}
		else {
			this.response = new WatchedResponse(response, request);
		}
	}

	@Override
	public ServerHttpRequest getRequest() {
		return this.request;
	}

	@Override
	public ServerHttpResponse getResponse() {
		return this.response;
	}

	private static final class WatchedRequest extends ServerHttpRequestDecorator {

		private final LimitedHttpRequest request;

		WatchedRequest(ServerHttpRequest watched, LimitedHttpRequest request) {
			super(watched);
			this.request = request;
		}

		@Override
		public Flux<DataBuffer> getBody() {
			return super.getBody().doOnError((failure) -> this.request.noteCancelled());
		}

	}

	private static class WatchedResponse extends ServerHttpResponseDecorator {

		private final LimitedHttpRequest request;

		WatchedResponse(ServerHttpResponse response, LimitedHttpRequest request) {
			super(response);
			this.request = request;
		}

		@Override
		public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
			AtomicReference<@Nullable Subscription> open = new AtomicReference<>();
			return super.writeWith(watch(body, open)).doOnTerminate(() -> leave(open));
		}

		@Override
		public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			AtomicReference<@Nullable Subscription> open = new AtomicReference<>();
			return super.writeAndFlushWith(watch(body, open)).doOnTerminate(() -> leave(open));
		}

		/*
		 * Servers send a Mono in another way. They may cancel what has completed.
		 */
		private <T> Publisher<T> watch(Publisher<T> body, AtomicReference<@Nullable Subscription> open) {
			if (body instanceof Mono<T> whole) {
				return whole.doOnSubscribe(open::set).doOnTerminate(() -> open.set(null)).doOnCancel(() -> leave(open));
			}
			return Flux.from(body)
				.doOnSubscribe(open::set)
				.doOnTerminate(() -> open.set(null))
				.doOnCancel(() -> leave(open));
		}

		/*
		 * Spring does not cancel a body whose response has ended after the first element
		 * and before the server has asked for it.
		 */
		private void leave(AtomicReference<@Nullable Subscription> open) {
			Subscription body = open.getAndSet(null);
			if (body != null) {
				this.request.noteCancelled();
				body.cancel();
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
