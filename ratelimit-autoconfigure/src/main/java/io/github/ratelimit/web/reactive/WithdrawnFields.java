package io.github.ratelimit.web.reactive;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;

/**
 * A response whose body is passed on without our header fields, which are set again when
 * it is sent.
 */
final class WithdrawnFields extends ServerHttpResponseDecorator {

	private final LimitedExchange limited;

	WithdrawnFields(ServerHttpResponse response, LimitedExchange limited) {
		super(response);
		this.limited = limited;
	}

	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
		this.limited.withdrawHeaders();
		return super.writeWith(body);
	}

}
