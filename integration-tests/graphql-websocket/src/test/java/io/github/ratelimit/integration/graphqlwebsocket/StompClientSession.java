package io.github.ratelimit.integration.graphqlwebsocket;

import java.lang.reflect.Type;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.springframework.messaging.MessageDeliveryException;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.messaging.simp.stomp.StompHeaders;
import org.springframework.messaging.simp.stomp.StompSession;
import org.springframework.messaging.simp.stomp.StompSessionHandlerAdapter;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.web.socket.WebSocketHttpHeaders;
import org.springframework.web.socket.client.standard.StandardWebSocketClient;
import org.springframework.web.socket.messaging.WebSocketStompClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A session of a STOMP client, which notes all that it is told.
 */
final class StompClientSession extends StompSessionHandlerAdapter implements AutoCloseable {

	private static final TaskScheduler SCHEDULER = new SimpleAsyncTaskScheduler();

	private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();

	private final BlockingQueue<StompHeaders> errors = new LinkedBlockingQueue<>();

	private StompSession session;

	static StompClientSession open(Client client) throws Exception {
		WebSocketStompClient stomp = new WebSocketStompClient(new StandardWebSocketClient());
		stomp.setTaskScheduler(SCHEDULER);
		stomp.setMessageConverter(new StringMessageConverter(StandardCharsets.UTF_8));
		WebSocketHttpHeaders headers = new WebSocketHttpHeaders();
		headers.set("X-Forwarded-For", client.address());
		if (!client.user().isEmpty()) {
			headers.set("Authorization", client.authorization());
		}
		StompClientSession opened = new StompClientSession();
		opened.session = stomp
			.connectAsync(URI.create("ws://127.0.0.1:" + client.port() + "/stomp"), headers, null, opened)
			.get(1, TimeUnit.MINUTES);
		return opened;
	}

	StompClientSession subscribe(String destination) {
		this.session.subscribe(destination, this);
		return this;
	}

	void send(String destination) {
		send(destination, "you");
	}

	String ask(String destination) throws InterruptedException {
		send(destination);
		return reply();
	}

	void send(String destination, String body) {
		StompHeaders headers = new StompHeaders();
		headers.setDestination(destination);
		headers.set(StompHeaders.RECEIPT, "receipt of " + destination);
		this.session.send(headers, body);
	}

	String reply() throws InterruptedException {
		String reply = this.replies.poll(1, TimeUnit.MINUTES);
		assertThat(reply).isNotNull();
		return reply;
	}

	StompHeaders error() throws InterruptedException {
		StompHeaders error = this.errors.poll(1, TimeUnit.MINUTES);
		assertThat(error).isNotNull();
		return error;
	}

	boolean isOpen() {
		return this.session.isConnected();
	}

	@Override
	public Type getPayloadType(StompHeaders headers) {
		return String.class;
	}

	/*
	 * An ERROR frame comes without a subscription.
	 */
	@Override
	public void handleFrame(StompHeaders headers, Object payload) {
		if (headers.getSubscription() == null) {
			this.errors.add(headers);
		}
		else {
			this.replies.add(String.valueOf(payload));
		}
	}

	/*
	 * The server may be closing the connection at this moment.
	 */
	@Override
	public void close() {
		try {
			this.session.disconnect();
		}
		catch (IllegalStateException | MessageDeliveryException ex) {
			await().atMost(Duration.ofMinutes(1)).until(() -> !isOpen());
		}
	}

}
