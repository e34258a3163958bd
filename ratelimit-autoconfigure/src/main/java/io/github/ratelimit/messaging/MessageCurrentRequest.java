package io.github.ratelimit.messaging;

import java.security.Principal;
import java.util.Map;

import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.simp.SimpMessageHeaderAccessor;
import org.springframework.messaging.simp.annotation.support.SimpAnnotationMethodMessageHandler;
import org.springframework.messaging.simp.config.ChannelRegistration;
import org.springframework.messaging.support.ExecutorChannelInterceptor;
import org.springframework.messaging.support.NativeMessageHeaderAccessor;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketTransportRegistration;
import org.springframework.web.socket.server.support.HttpSessionHandshakeInterceptor;

/**
 * Finds the message of a WebSocket session that the calling thread hands to the
 * application's own method.
 */
final class MessageCurrentRequest
		implements CurrentRequest, ExecutorChannelInterceptor, WebSocketMessageBrokerConfigurer {

	private final ThreadLocal<@Nullable Handling> current = new ThreadLocal<>();

	private final WaitingRoom room;

	private final ClientAddressResolver clientAddresses;

	/**
	 * Creates the bridge.
	 * @param room where calls wait without a thread
	 * @param clientAddresses finds the client's address, which all messages of a session
	 * have
	 */
	MessageCurrentRequest(WaitingRoom room, ClientAddressResolver clientAddresses) {
		this.room = room;
		this.clientAddresses = clientAddresses;
	}

	/**
	 * Keeps sessions open until their clients have been told why they are closed.
	 */
	@Override
	public void configureWebSocketTransport(WebSocketTransportRegistration registration) {
		registration.addDecoratorFactory((handler) -> RejectableSession.decorate(handler, this.clientAddresses));
	}

	@Override
	public void configureClientInboundChannel(ChannelRegistration registration) {
		registration.interceptors(this);
	}

	@Override
	public Message<?> beforeHandle(Message<?> message, MessageChannel channel, MessageHandler handler) {
		if (handler instanceof SimpAnnotationMethodMessageHandler) {
			LimitedRequest request = LimitedRequest.ofSeparateCalls(new MessageView(message), this.room);
			this.current.set(new Handling(request, this.current.get()));
		}
		return message;
	}

	@Override
	public void afterMessageHandled(Message<?> message, MessageChannel channel, MessageHandler handler,
			@Nullable Exception ex) {
		Handling handling = this.current.get();
		if (handling == null || !(handler instanceof SimpAnnotationMethodMessageHandler)) {
			return;
		}
		if (handling.outer() != null) {
			this.current.set(handling.outer());
		}
		else {
			this.current.remove();
		}
	}

	@Override
	public @Nullable LimitedRequest find() {
		Handling handling = this.current.get();
		if (handling == null) {
			return null;
		}
		return handling.request();
	}

	/**
	 * A message that is being handled.
	 *
	 * @param request the message, whose calls each count for themselves
	 * @param outer the message whose handling on the same thread has sent it, if any
	 */
	private record Handling(LimitedRequest request, @Nullable Handling outer) {
	}

	/**
	 * A message of a WebSocket session as expressions see it. A client writes
	 * destinations as it likes, so they are no path. Each connection has a session of its
	 * own, which tells no client from another, so only the session of the HTTP handshake
	 * counts.
	 *
	 * @param message the message
	 */
	record MessageView(Message<?> message) implements RequestView {

		@Override
		public String clientAddress() {
			RejectableSession session = RejectableSession.find(sessionAttributes());
			if (session == null) {
				return "unknown";
			}
			return session.clientAddress();
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
			if (attributes == null) {
				return null;
			}
			Object id = attributes.get(HttpSessionHandshakeInterceptor.HTTP_SESSION_ID_ATTR_NAME);
			return (id instanceof String text) ? text : null;
		}

		@Override
		public Object request() {
			return this.message;
		}

		private @Nullable Map<String, Object> sessionAttributes() {
			return SimpMessageHeaderAccessor.getSessionAttributes(this.message.getHeaders());
		}

	}

}
