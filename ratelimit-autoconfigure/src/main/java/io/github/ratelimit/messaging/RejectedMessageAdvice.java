package io.github.ratelimit.messaging;

import java.util.function.Supplier;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.web.HeaderSettings;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.handler.annotation.MessageExceptionHandler;
import org.springframework.messaging.simp.SimpMessageHeaderAccessor;
import org.springframework.messaging.simp.stomp.StompCommand;
import org.springframework.messaging.simp.stomp.StompEncoder;
import org.springframework.messaging.simp.stomp.StompHeaderAccessor;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.messaging.support.NativeMessageHeaderAccessor;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.socket.TextMessage;

/**
 * Tells the client of a rejected message in an ERROR frame, unless the application has a
 * {@link MessageExceptionHandler} of its own. Spring would only log it. STOMP has no
 * other frame for it, and closes the connection after this one.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class RejectedMessageAdvice {

	private static final byte[] NO_BODY = {};

	private final StompEncoder encoder = new StompEncoder();

	private final Supplier<MessageChannel> clientOutboundChannel;

	/**
	 * Creates the advice.
	 * @param clientOutboundChannel gives the channel to the clients when it is first
	 * needed
	 */
	RejectedMessageAdvice(Supplier<MessageChannel> clientOutboundChannel) {
		this.clientOutboundChannel = clientOutboundChannel;
	}

	@MessageExceptionHandler
	void reject(RateLimitExceededException rejection, Message<?> message) {
		String session = SimpMessageHeaderAccessor.getSessionId(message.getHeaders());
		if (session == null) {
			throw rejection;
		}

		StompHeaderAccessor error = describe(rejection);
		error.setSessionId(session);
		String receipt = NativeMessageHeaderAccessor.getFirstNativeHeader(StompHeaderAccessor.STOMP_RECEIPT_HEADER,
				message.getHeaders());
		if (receipt != null) {
			error.setReceiptId(receipt);
		}

		RejectableSession rejectable = RejectableSession
			.find(SimpMessageHeaderAccessor.getSessionAttributes(message.getHeaders()));
		if (rejectable != null) {
			rejectable.announce(new TextMessage(this.encoder.encode(error.getMessageHeaders(), NO_BODY)));
		}
		this.clientOutboundChannel.get().send(MessageBuilder.createMessage(NO_BODY, error.getMessageHeaders()));
	}

	private static StompHeaderAccessor describe(RateLimitExceededException rejection) {
		StompHeaderAccessor error = StompHeaderAccessor.create(StompCommand.ERROR);
		error.setMessage(rejection.getMessage());
		error.setNativeHeader("policy", rejection.policy().name());
		long retryAfter = HeaderSettings.retryAfterSeconds(rejection.decision());
		if (retryAfter > 0) {
			error.setNativeHeader("retry-after", Long.toString(retryAfter));
		}
		if (rejection.decision().banned()) {
			error.setNativeHeader("banned", "true");
		}
		if (rejection.decision().denied()) {
			error.setNativeHeader("denied", "true");
		}
		return error;
	}

}
