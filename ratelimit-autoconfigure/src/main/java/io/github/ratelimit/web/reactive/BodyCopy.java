package io.github.ratelimit.web.reactive;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;

/**
 * A copy of a body on its way to whoever reads it, up to a number of bytes.
 */
final class BodyCopy {

	private final int maxSize;

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	private boolean tooLarge;

	private volatile boolean complete;

	/**
	 * Creates a copy that has nothing yet.
	 * @param maxSize how many bytes are kept, or -1 for all
	 */
	BodyCopy(int maxSize) {
		this.maxSize = maxSize;
	}

	/**
	 * Copies a body while it is read. The reader gets the buffers, and releases them.
	 * @param body the body, of which nothing was read
	 * @return the same body
	 */
	Flux<DataBuffer> of(Flux<DataBuffer> body) {
		return body.doOnNext(this::add).doOnComplete(() -> this.complete = true);
	}

	private void add(DataBuffer buffer) {
		int size = buffer.readableByteCount();
		this.tooLarge |= this.maxSize >= 0 && size > this.maxSize - this.bytes.size();
		if (this.tooLarge) {
			this.bytes.reset();
			return;
		}
		byte[] part = new byte[size];
		buffer.toByteBuffer(ByteBuffer.wrap(part));
		this.bytes.writeBytes(part);
	}

	/**
	 * Returns the bytes of the whole body.
	 * @return the bytes, or nothing if there are none; fails if there were too many, or
	 * the reader has not got all of them
	 */
	Mono<byte[]> bytes() {
		if (!this.complete) {
			return Mono.error(new IllegalStateException("The body was not read to its end"));
		}
		if (this.tooLarge) {
			return Mono.error(new DataBufferLimitException("The body is larger than " + this.maxSize + " bytes"));
		}
		if (this.bytes.size() == 0) {
			return Mono.empty();
		}
		return Mono.just(this.bytes.toByteArray());
	}

}
