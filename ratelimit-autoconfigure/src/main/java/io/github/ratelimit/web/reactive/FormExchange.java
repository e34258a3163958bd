package io.github.ratelimit.web.reactive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.web.SentForm;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.codec.FormHttpMessageReader;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;

/**
 * An exchange with a form. Once somebody asks for the form, the bytes of the body are
 * read, and everybody gets these: the form of Spring's own exchange eats the body, and a
 * gateway would forward a {@code Content-Length} without it. A form that is larger than
 * codecs may hold is a 413.
 */
final class FormExchange extends ServerWebExchangeDecorator {

	private static final ResolvableType FORM = ResolvableType.forClassWithGenerics(MultiValueMap.class, String.class,
			String.class);

	/* A filter of Spring Cloud Gateway keeps the body here that it has read. */
	private static final String KEPT_BODY = "cachedRequestBody";

	private final FormHttpMessageReader reader;

	private final Mono<byte[]> bytes;

	private final Mono<MultiValueMap<String, String>> form;

	private final ServerHttpRequest request;

	private volatile boolean read;

	private FormExchange(ServerWebExchange exchange, FormHttpMessageReader reader) {
		super(exchange);
		this.reader = reader;
		ServerHttpRequest sent = exchange.getRequest();
		Flux<DataBuffer> body = sent.getBody();
		this.bytes = Mono.defer(() -> readBytes(exchange, body)).cache();
		this.request = new ServerHttpRequestDecorator(sent) {

			@Override
			public Flux<DataBuffer> getBody() {
				return Flux.defer(() -> FormExchange.this.read ? replay() : super.getBody());
			}

		};

		// whoever was earlier than this exchange may have eaten the body, and know its
		// form
		this.form = Mono.defer(this::read)
			.switchIfEmpty(exchange.getFormData().onErrorResume((ex) -> Mono.just(new LinkedMultiValueMap<>(0))))
			.cache();
	}

	/**
	 * Finds the form that comes with an exchange.
	 * @param exchange the exchange
	 * @param reader reads forms
	 * @return what goes on in place of the exchange, or {@code null} if it has no form
	 */
	static @Nullable FormExchange find(ServerWebExchange exchange, FormHttpMessageReader reader) {
		try {
			MediaType type = exchange.getRequest().getHeaders().getContentType();
			if (MediaType.APPLICATION_FORM_URLENCODED.equalsTypeAndSubtype(type)) {
				return new FormExchange(exchange, reader);
			}
			return null;
		}
		catch (InvalidMediaTypeException ex) {
			return null;
		}
	}

	/**
	 * Reads the form as each of those may read it who serve the request: one that is
	 * behind a gateway may not care for its character set.
	 * @return the form, also with the values that it has in UTF-8
	 */
	Mono<MultiValueMap<String, String>> readings() {
		MediaType type = this.request.getHeaders().getContentType();
		boolean inUtf8 = type == null || type.getCharset() == null || StandardCharsets.UTF_8.equals(type.getCharset());
		if (inUtf8) {
			return this.form;
		}
		return this.form.flatMap(this::withUtf8);
	}

	private Mono<MultiValueMap<String, String>> withUtf8(MultiValueMap<String, String> form) {
		HttpHeaders headers = new HttpHeaders();
		headers.setContentType(MediaType.APPLICATION_FORM_URLENCODED);
		ServerHttpRequest plain = new ServerHttpRequestDecorator(this.request) {

			@Override
			public HttpHeaders getHeaders() {
				return headers;
			}

		};

		MultiValueMap<String, String> both = new LinkedMultiValueMap<>();
		both.addAll(form);
		return this.reader.readMono(FORM, plain, Map.of())
			.doOnNext((utf8) -> utf8.forEach((name, values) -> addDecoded(both, name, values)))
			.thenReturn(both);
	}

	private static void addDecoded(MultiValueMap<String, String> form, String name, List<String> values) {
		for (String value : values) {
			if (value == null || !SentForm.isMalformed(value)) {
				form.add(name, value);
			}
		}
	}

	/*
	 * Hooks of whoever asks first would release buffers a second time, so that they are
	 * not in the context.
	 */
	private Mono<byte[]> readBytes(ServerWebExchange exchange, Flux<DataBuffer> body) {
		if (exchange.getAttribute(KEPT_BODY) instanceof DataBuffer kept) {
			return Mono.just(bytes(DataBufferUtils.retain(kept)));
		}
		return DataBufferUtils.join(body, this.reader.getMaxInMemorySize())
			.contextWrite((context) -> Context.empty())
			.map(FormExchange::bytes)
			.onErrorMap(DataBufferLimitException.class,
					(ex) -> new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE, null, ex));
	}

	private static byte[] bytes(DataBuffer buffer) {
		byte[] bytes = new byte[buffer.readableByteCount()];
		buffer.toByteBuffer(ByteBuffer.wrap(bytes));
		DataBufferUtils.release(buffer);
		return bytes;
	}

	private Mono<MultiValueMap<String, String>> read() {
		this.read = true;
		return this.reader.readMono(FORM, this.request, Map.of());
	}

	private Flux<DataBuffer> replay() {
		return this.bytes.map((bytes) -> getResponse().bufferFactory().wrap(bytes)).flux();
	}

	@Override
	public ServerHttpRequest getRequest() {
		return this.request;
	}

	@Override
	public Mono<MultiValueMap<String, String>> getFormData() {
		return this.form;
	}

}
