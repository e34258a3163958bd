package io.github.ratelimit.messaging;

import java.io.IOException;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.WebSocketHandlerDecorator;
import org.springframework.web.socket.handler.WebSocketSessionDecorator;

/**
 * A session that is not closed before its client was told why. Spring queues an ERROR
 * frame while another thread is about to finish sending, closes the session, and forgets
 * the queue.
 */
final class RejectableSession extends WebSocketSessionDecorator {

	private static final String ATTRIBUTE = RejectableSession.class.getName();

	private @Nullable TextMessage error;

	private boolean sending;

	private @Nullable CloseStatus closing;

	private RejectableSession(WebSocketSession session) {
		super(session);
	}

	/**
	 * Makes all sessions of a handler rejectable.
	 * @param handler the handler
	 * @return the handler to use in its place
	 */
	static WebSocketHandler decorate(WebSocketHandler handler) {
		return new WebSocketHandlerDecorator(handler) {

			@Override
			public void afterConnectionEstablished(WebSocketSession session) throws Exception {
				RejectableSession rejectable = new RejectableSession(session);
				session.getAttributes().put(ATTRIBUTE, rejectable);
				super.afterConnectionEstablished(rejectable);
			}

		};
	}

	static @Nullable RejectableSession find(@Nullable Map<String, Object> sessionAttributes) {
		return (sessionAttributes != null) ? (RejectableSession) sessionAttributes.get(ATTRIBUTE) : null;
	}

	/*
	 * Says what the client must have been told before the session is closed.
	 */
	synchronized void announce(TextMessage error) {
		this.error = error;
	}

	/*
	 * Only one thread sends at a time, which Spring takes care of.
	 */
	@Override
	public void sendMessage(WebSocketMessage<?> message) throws IOException {
		synchronized (this) {
			this.sending = true;
			if (message instanceof TextMessage text && text.getPayload().startsWith("ERROR")) {
				this.error = null;
			}
		}
		try {
			super.sendMessage(message);
		}
		finally {
			CloseStatus status;
			synchronized (this) {
				this.sending = false;
				status = this.closing;
			}
			if (status != null) {
				finish(status);
			}
		}
	}

	@Override
	public void close(CloseStatus status) throws IOException {
		if (!status.equals(CloseStatus.PROTOCOL_ERROR)) {
			super.close(status);
			return;
		}
		synchronized (this) {
			if (this.sending && this.error != null) {
				this.closing = status;
				return;
			}
		}
		finish(status);
	}

	private void finish(CloseStatus status) throws IOException {
		TextMessage last;
		synchronized (this) {
			last = this.error;
			this.error = null;
		}
		try {
			if (last != null) {
				super.sendMessage(last);
			}
		}
		finally {
			super.close(status);
		}
	}

}
