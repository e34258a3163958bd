package io.github.ratelimit.messaging;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import org.springframework.http.HttpHeaders;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.ConcurrentWebSocketSessionDecorator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * A session that is closed because a message was rejected tells the client why, and once.
 */
class RejectableSessionTests {

	private static final TextMessage REPLY = new TextMessage("MESSAGE\n\n\0");

	private static final TextMessage ERROR = new TextMessage("ERROR\n\n\0");

	private final WebSocketSession connection = mock(WebSocketSession.class);

	private RejectableSession rejectable;

	private WebSocketSession session;

	@BeforeEach
	void connect() throws Exception {
		Map<String, Object> attributes = new HashMap<>();
		given(this.connection.getAttributes()).willReturn(attributes);
		given(this.connection.getHandshakeHeaders()).willReturn(new HttpHeaders());
		given(this.connection.isOpen()).willReturn(true);
		RejectableSession
			.decorate(mock(WebSocketHandler.class),
					new ClientAddressResolver(List.of(), 64, null, new RateLimitFindings()))
			.afterConnectionEstablished(this.connection);
		RejectableSession found = RejectableSession.find(attributes);
		assertThat(found).isNotNull();
		this.rejectable = found;
		this.session = new ConcurrentWebSocketSessionDecorator(found, 1000, 1000);
	}

	@Test
	void clientIsToldWhyThoughAnotherThreadIsStillSending() throws Exception {
		willAnswer((sending) -> {
			Thread rejecting = new Thread(this::reject);
			rejecting.start();
			rejecting.join();
			return null;
		}).given(this.connection).sendMessage(REPLY);
		this.session.sendMessage(REPLY);
		InOrder order = inOrder(this.connection);
		order.verify(this.connection).sendMessage(REPLY);
		order.verify(this.connection).sendMessage(ERROR);
		order.verify(this.connection).close(CloseStatus.PROTOCOL_ERROR);
	}

	@Test
	void nothingIsSentWhileTheLastFrameIs() throws Exception {
		willAnswer((sending) -> {
			this.rejectable.sendMessage(REPLY);
			return null;
		}).given(this.connection).sendMessage(ERROR);
		this.rejectable.announce(ERROR);
		this.rejectable.close(CloseStatus.PROTOCOL_ERROR);
		then(this.connection).should(never()).sendMessage(REPLY);
		then(this.connection).should().close(CloseStatus.PROTOCOL_ERROR);
	}

	@Test
	void clientIsToldOnce() throws Exception {
		reject();
		InOrder order = inOrder(this.connection);
		order.verify(this.connection).sendMessage(ERROR);
		order.verify(this.connection).close(CloseStatus.PROTOCOL_ERROR);
		order.verifyNoMoreInteractions();
	}

	@Test
	void sessionThatIsClosedForAnotherReasonIsClosedAtOnce() throws Exception {
		willAnswer((sending) -> {
			this.rejectable.announce(ERROR);
			this.session.close(CloseStatus.SESSION_NOT_RELIABLE);
			then(this.connection).should().close(CloseStatus.SESSION_NOT_RELIABLE);
			return null;
		}).given(this.connection).sendMessage(REPLY);
		this.session.sendMessage(REPLY);
		then(this.connection).should(never()).sendMessage(ERROR);
	}

	private void reject() {
		try {
			this.rejectable.announce(ERROR);
			this.session.sendMessage(ERROR);
			this.session.close(CloseStatus.PROTOCOL_ERROR);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
