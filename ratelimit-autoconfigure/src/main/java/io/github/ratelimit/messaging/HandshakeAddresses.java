package io.github.ratelimit.messaging;

import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Map;

import io.github.ratelimit.web.ClientAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.WebSocketHandlerDecorator;
import org.springframework.web.socket.handler.WebSocketHandlerDecoratorFactory;

/**
 * Notes the client's address among the attributes of each WebSocket session, which all of
 * its messages carry.
 *
 * @since 0.1.0
 */
public final class HandshakeAddresses implements WebSocketHandlerDecoratorFactory {

	private static final String ATTRIBUTE = HandshakeAddresses.class.getName();

	private static final String UNKNOWN = "unknown";

	private final ClientAddressResolver clientAddresses;

	/**
	 * Creates the factory.
	 * @param clientAddresses finds the client's address in the session's handshake
	 */
	public HandshakeAddresses(ClientAddressResolver clientAddresses) {
		this.clientAddresses = clientAddresses;
	}

	static String of(@Nullable Map<String, Object> sessionAttributes) {
		Object address = (sessionAttributes != null) ? sessionAttributes.get(ATTRIBUTE) : null;
		return (address != null) ? address.toString() : UNKNOWN;
	}

	@Override
	public WebSocketHandler decorate(WebSocketHandler handler) {
		return new WebSocketHandlerDecorator(handler) {

			@Override
			public void afterConnectionEstablished(WebSocketSession session) throws Exception {
				session.getAttributes().put(ATTRIBUTE, clientAddress(session));
				super.afterConnectionEstablished(session);
			}

		};
	}

	private String clientAddress(WebSocketSession session) {
		InetSocketAddress peer = session.getRemoteAddress();
		HttpHeaders headers = session.getHandshakeHeaders();
		return this.clientAddresses.resolve((peer != null) ? peer.getHostString() : null,
				(name) -> Collections.enumeration(headers.getOrEmpty(name)));
	}

}
