package io.github.ratelimit.messaging;

import java.security.Principal;
import java.util.Map;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.simp.SimpMessageHeaderAccessor;
import org.springframework.messaging.support.NativeMessageHeaderAccessor;
import org.springframework.web.socket.server.support.HttpSessionHandshakeInterceptor;

/**
 * What expressions see of a message of a WebSocket session. A client writes destinations
 * as it likes, so they are no path; and a session that each connection has of its own
 * tells no client from another, so only that of the HTTP handshake counts.
 *
 * @param message the message
 */
record MessageView(Message<?> message) implements RequestView {

	@Override
	public String clientAddress() {
		return HandshakeAddresses.of(sessionAttributes());
	}

	@Override
	public @Nullable Principal principal() {
		return SimpMessageHeaderAccessor.getUser(this.message.getHeaders());
	}

	@Override
	public @Nullable String header(String name) {
		return NativeMessageHeaderAccessor.getFirstNativeHeader(name, this.message.getHeaders());
	}

	@Override
	public @Nullable String session() {
		Map<String, Object> attributes = sessionAttributes();
		return (attributes != null
				&& attributes.get(HttpSessionHandshakeInterceptor.HTTP_SESSION_ID_ATTR_NAME) instanceof String id) ? id
						: null;
	}

	@Override
	public Object request() {
		return this.message;
	}

	private @Nullable Map<String, Object> sessionAttributes() {
		return SimpMessageHeaderAccessor.getSessionAttributes(this.message.getHeaders());
	}

}
