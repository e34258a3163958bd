package io.github.ratelimit.integration.graphqlwebsocket;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketHttpHeaders;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.client.standard.StandardWebSocketClient;
import org.springframework.web.socket.handler.TextWebSocketHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A session of the protocol graphql-transport-ws.
 */
final class GraphQlSession extends TextWebSocketHandler implements AutoCloseable {

	private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

	private WebSocketSession session;

	private int operations;

	static GraphQlSession open(Client client) throws Exception {
		GraphQlSession opened = new GraphQlSession();
		WebSocketHttpHeaders headers = new WebSocketHttpHeaders();
		headers.setSecWebSocketProtocol("graphql-transport-ws");
		headers.set("X-Forwarded-For", client.address());
		if (!client.user().isEmpty()) {
			headers.set("Authorization", client.authorization());
		}
		opened.session = new StandardWebSocketClient()
			.execute(opened, headers, URI.create("ws://127.0.0.1:" + client.port() + "/graphql"))
			.get(1, TimeUnit.MINUTES);
		opened.send("{\"type\":\"connection_init\"}");
		assertThat(opened.next()).contains("connection_ack");
		return opened;
	}

	/*
	 * Gives the first answer, and waits for the last.
	 */
	String ask(String document) throws Exception {
		this.operations++;
		send("{\"id\":\"" + this.operations + "\",\"type\":\"subscribe\",\"payload\":{\"query\":\"" + document
				+ "\"}}");
		String first = next();
		String last = first;
		while (!last.contains("\"type\":\"complete\"") && !last.contains("\"type\":\"error\"")) {
			last = next();
		}
		return first;
	}

	private void send(String message) throws IOException {
		this.session.sendMessage(new TextMessage(message));
	}

	private String next() throws InterruptedException {
		String message = this.messages.poll(1, TimeUnit.MINUTES);
		assertThat(message).isNotNull();
		return message;
	}

	@Override
	protected void handleTextMessage(WebSocketSession session, TextMessage message) {
		this.messages.add(message.getPayload());
	}

	@Override
	public void close() throws IOException {
		this.session.close();
	}

}
