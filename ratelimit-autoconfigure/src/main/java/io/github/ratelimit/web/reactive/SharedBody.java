package io.github.ratelimit.web.reactive;

import java.nio.ByteBuffer;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;

/**
 * A request whose body several may read. Once the bytes are asked for, everybody gets
 * these.
 */
final class SharedBody extends ServerHttpRequestDecorator {

	/* A filter of Spring Cloud Gateway keeps the body here that it has read. */
	private static final String KEPT_BODY = "cachedRequestBody";

	private final ServerWebExchange exchange;

	private final Mono<byte[]> bytes;

	private volatile boolean read;

	/**
	 * Creates a request of which nothing was read.
	 * @param exchange the exchange whose request it stands for
	 * @param maxSize how many bytes may be read; a larger body is a 413
	 */
	SharedBody(ServerWebExchange exchange, int maxSize) {
		super(exchange.getRequest());
		this.exchange = exchange;
		Flux<DataBuffer> body = exchange.getRequest().getBody();
		this.bytes = Mono.defer(() -> readBytes(body, maxSize)).cache();
	}

	/*
	 * Hooks of whoever asks first would release buffers a second time, so that they are
	 * not in the context.
	 */
	private Mono<byte[]> readBytes(Flux<DataBuffer> body, int maxSize) {
		if (this.exchange.getAttribute(KEPT_BODY) instanceof DataBuffer kept) {
			return Mono.just(bytes(DataBufferUtils.retain(kept)));
		}
		return DataBufferUtils.join(body, maxSize)
			.contextWrite((context) -> Context.empty())
			.map(SharedBody::bytes)
			.onErrorMap(DataBufferLimitException.class,
					(ex) -> new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE, null, ex));
	}

	private static byte[] bytes(DataBuffer buffer) {
		byte[] bytes = new byte[buffer.readableByteCount()];
		buffer.toByteBuffer(ByteBuffer.wrap(bytes));
		DataBufferUtils.release(buffer);
		return bytes;
	}

	/**
	 * Lets everybody who asks for the body from now on have the bytes that are read here.
	 */
	void share() {
		this.read = true;
	}

	/**
	 * Reads the body, once.
	 * @return the bytes, or nothing if there are none
	 */
	Mono<byte[]> bytes() {
		share();
		return this.bytes;
	}

	@Override
	public Flux<DataBuffer> getBody() {
		return Flux.defer(() -> this.read ? replay() : super.getBody());
	}

	private Flux<DataBuffer> replay() {
		return this.bytes.map((bytes) -> this.exchange.getResponse().bufferFactory().wrap(bytes)).flux();
	}

}
