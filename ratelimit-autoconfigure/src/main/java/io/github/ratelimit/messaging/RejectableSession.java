package io.github.ratelimit.messaging;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.web.address.ClientAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.WebSocketHandlerDecorator;
import org.springframework.web.socket.handler.WebSocketSessionDecorator;

/**
 * A session that knows its client, and is not closed before the client is told why.
 * Spring queues an ERROR frame while another thread is about to finish sending, closes
 * the session, and forgets the queue.
 */
final class RejectableSession extends WebSocketSessionDecorator {

	private static final String ATTRIBUTE = RejectableSession.class.getName();

	private volatile @Nullable TextMessage error;

	private volatile boolean closing;

	private final AtomicBoolean sending = new AtomicBoolean();

	private final String clientAddress;

	private RejectableSession(WebSocketSession session, String clientAddress) {
		super(session);
		this.clientAddress = clientAddress;
	}

	/**
	 * Makes all sessions of a handler rejectable.
	 * @param handler the handler
	 * @param clientAddresses finds the client's address in the session's handshake
	 * @return the handler to use in its place
	 */
	static WebSocketHandler decorate(WebSocketHandler handler, ClientAddressResolver clientAddresses) {
		return new WebSocketHandlerDecorator(handler) {

			@Override
			public void afterConnectionEstablished(WebSocketSession session) throws Exception {
				RejectableSession rejectable = new RejectableSession(session,
						clientAddresses.resolve(session.getRemoteAddress(), session.getHandshakeHeaders()::getOrEmpty));
				session.getAttributes().put(ATTRIBUTE, rejectable);
				super.afterConnectionEstablished(rejectable);
			}

		};
	}

	static @Nullable RejectableSession find(@Nullable Map<String, Object> sessionAttributes) {
		if (sessionAttributes == null) {
			return null;
		}
		return (RejectableSession) sessionAttributes.get(ATTRIBUTE);
	}

	String clientAddress() {
		return this.clientAddress;
	}

	/*
	 * Sets the frame that the client must have got before the session is closed.
	 */
	void announce(TextMessage error) {
		this.error = error;
	}

	/*
	 * Only one thread sends at a time, which Spring takes care of, but for the frame that
	 * is sent last here.
	 */
	@Override
	public void sendMessage(WebSocketMessage<?> message) throws IOException {
		if (!this.sending.compareAndSet(false, true)) {
			// nothing comes after the last frame
			return;
		}

		try {
			super.sendMessage(message);
			if (message instanceof TextMessage text && text.getPayload().startsWith("ERROR")) {
				this.error = null;
			}
		}
		finally {
			this.sending.set(false);
			finish();
		}
	}

	@Override
	public void close(CloseStatus status) throws IOException {
		if (this.error == null || !status.equals(CloseStatus.PROTOCOL_ERROR)) {
			super.close(status);
			return;
		}
		this.closing = true;
		finish();
	}

	/*
	 * This runs on the thread that closes or, if another is sending, on that one
	 * afterwards. Nothing is sent any more then.
	 */
	private void finish() throws IOException {
		if (!this.closing || !this.sending.compareAndSet(false, true)) {
			return;
		}

		TextMessage last = this.error;
		this.error = null;
		try {
			if (last != null) {
				super.sendMessage(last);
			}
		}
		finally {
			super.close(CloseStatus.PROTOCOL_ERROR);
		}
	}

}
