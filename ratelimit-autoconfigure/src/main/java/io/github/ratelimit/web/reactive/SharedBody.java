package io.github.ratelimit.web.reactive;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
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
 * these. A server gives a body once: if somebody else has read it before, the bytes are
 * those of a copy.
 */
final class SharedBody extends ServerHttpRequestDecorator {

	/*
	 * Filters of Spring Cloud Gateway keep the body that they have read, of whatever
	 * size: in the first of these, or in the second if the first has what it was decoded
	 * to.
	 */
	private static final List<String> KEPT_BODY = List.of("cachedRequestBody", "cachedOriginalRequestBodyBackup");

	private final ServerWebExchange exchange;

	/* What others read before the bytes are asked for; null if it is not copied. */
	private final @Nullable BodyCopy copy;

	private final Mono<byte[]> bytes;

	/* Whether somebody else has begun to read the body. */
	private final AtomicBoolean taken = new AtomicBoolean();

	private volatile boolean read;

	/**
	 * Creates a request of which nothing was read.
	 * @param exchange the exchange whose request it stands for
	 * @param maxSize how many bytes may be read; a larger body is a 413
	 * @param copying whether the bytes are to be there after somebody else has read the
	 * body
	 */
	SharedBody(ServerWebExchange exchange, int maxSize, boolean copying) {
		super(exchange.getRequest());
		this.exchange = exchange;
		this.copy = copying ? new BodyCopy(maxSize) : null;
		Flux<DataBuffer> body = exchange.getRequest().getBody();
		this.bytes = Mono.defer(() -> readBytes(body, maxSize))
			.onErrorMap(DataBufferLimitException.class,
					(ex) -> new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE, null, ex))
			.cache();
	}

	/*
	 * Hooks of whoever asks first would release buffers a second time, so that they are
	 * not in the context.
	 */
	private Mono<byte[]> readBytes(Flux<DataBuffer> body, int maxSize) {
		boolean taken = this.taken.get();
		if (taken && this.copy != null) {
			return this.copy.bytes();
		}

		DataBuffer kept = keptBody();
		Flux<DataBuffer> unread = body;
		if (kept != null) {
			unread = Flux.just(DataBufferUtils.retain(kept));
		}
		else if (taken) {
			return Mono.error(new IllegalStateException("Somebody else has read the body"));
		}
		return DataBufferUtils.join(unread, maxSize).contextWrite((context) -> Context.empty()).map(SharedBody::bytes);
	}

	private @Nullable DataBuffer keptBody() {
		for (String name : KEPT_BODY) {
			if (this.exchange.getAttribute(name) instanceof DataBuffer kept) {
				return kept;
			}
		}
		return null;
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
	 * @return the bytes, or nothing if there are none; fails if somebody else has read
	 * them and they were not kept
	 */
	Mono<byte[]> bytes() {
		share();
		return this.bytes;
	}

	@Override
	public Flux<DataBuffer> getBody() {
		return Flux.defer(() -> this.read ? replay() : passOn());
	}

	/*
	 * Whoever reads the body a second time gets no more than what the first has left.
	 */
	private Flux<DataBuffer> passOn() {
		boolean first = this.taken.compareAndSet(false, true);
		if (first && this.copy != null) {
			return this.copy.of(super.getBody());
		}
		return super.getBody();
	}

	private Flux<DataBuffer> replay() {
		return this.bytes.map((bytes) -> this.exchange.getResponse().bufferFactory().wrap(bytes)).flux();
	}

}
