package io.github.ratelimit.web.reactive;

import io.github.ratelimit.web.mcp.SentMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;

import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ResponseStatusException;

/**
 * Thrown for a request whose message nobody is to serve.
 */
final class RefusedMessageException extends ResponseStatusException {

	final transient SentMessage message;

	final Refusal refusal;

	/**
	 * Creates the exception.
	 * @param message the message
	 * @param refusal why it is refused
	 */
	RefusedMessageException(SentMessage message, Refusal refusal) {
		super(HttpStatusCode.valueOf(refusal.status()));
		this.message = message;
		this.refusal = refusal;
	}

}
