package io.github.ratelimit.web.reactive;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.web.SentForm;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.ResolvableType;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.codec.FormHttpMessageReader;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
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

	private final FormHttpMessageReader reader;

	private final Mono<MultiValueMap<String, String>> form;

	private final SharedBody request;

	private FormExchange(ServerWebExchange exchange, FormHttpMessageReader reader, boolean copying) {
		super(exchange);
		this.reader = reader;
		this.request = new SharedBody(exchange, reader.getMaxInMemorySize(), copying);

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
	 * @param copying whether the form is to be there after somebody else has read the
	 * body
	 * @return what goes on in place of the exchange, or {@code null} if it has no form
	 */
	static @Nullable FormExchange find(ServerWebExchange exchange, FormHttpMessageReader reader, boolean copying) {
		try {
			MediaType type = exchange.getRequest().getHeaders().getContentType();
			if (MediaType.APPLICATION_FORM_URLENCODED.equalsTypeAndSubtype(type)) {
				return new FormExchange(exchange, reader, copying);
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
	 * @return the form, also with the values that it has in UTF-8; fails if it cannot be
	 * read, also because somebody else has read it in part
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

	private Mono<MultiValueMap<String, String>> read() {
		this.request.share();
		return this.reader.readMono(FORM, this.request, Map.of());
	}

	@Override
	public ServerHttpRequest getRequest() {
		return this.request;
	}

	/*
	 * Whoever serves the request finds what Spring's own exchange has, if the form was
	 * lost before it came here.
	 */
	@Override
	public Mono<MultiValueMap<String, String>> getFormData() {
		return this.form.onErrorResume(IllegalStateException.class, (ex) -> getDelegate().getFormData());
	}

}
