package io.github.ratelimit.web.reactive;

import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.mcp.SentMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import reactor.core.publisher.Mono;

import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;

/**
 * An exchange whose body may be a message for an MCP server. Once somebody asks for the
 * message, the bytes of the body are read, and everybody gets these.
 */
final class MessageExchange extends ServerWebExchangeDecorator {

	private static final byte[] NO_BYTES = {};

	private final McpMessages messages;

	private final SharedBody request;

	private final Mono<SentMessage> message;

	/**
	 * Creates an exchange of which nothing was read.
	 * @param exchange the exchange as it begins
	 * @param messages reads messages
	 */
	MessageExchange(ServerWebExchange exchange, McpMessages messages) {
		super(exchange);
		this.messages = messages;
		this.request = new SharedBody(exchange, messages.maxSize(), false);
		this.message = Mono.defer(this.request::bytes)
			.defaultIfEmpty(NO_BYTES)
			.map((bytes) -> messages.read(bytes, exchange.getRequest().getHeaders()::getOrEmpty))
			.onErrorResume((ex) -> Mono.just(SentMessage.unread(refusal(ex))))
			.cache();
	}

	/*
	 * A server fails in its own way to read a body that somebody has read before.
	 */
	private static Refusal refusal(Throwable failure) {
		if (failure instanceof ResponseStatusException) {
			return Refusal.TOO_LARGE;
		}
		return Refusal.UNREAD;
	}

	/**
	 * Whether an exchange has a message.
	 * @param exchange this exchange, or what a filter has made of it
	 */
	boolean isAt(ServerWebExchange exchange) {
		return this.messages.areAt(new ExchangePath(exchange.getRequest(), null));
	}

	/**
	 * Reads the message, once.
	 * @return the message, which may be refused
	 */
	Mono<SentMessage> message() {
		return this.message;
	}

	@Override
	public ServerHttpRequest getRequest() {
		return this.request;
	}

}
