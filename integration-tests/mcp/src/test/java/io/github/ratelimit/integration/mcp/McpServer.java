package io.github.ratelimit.integration.mcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An MCP server on a port of its own, and its clients.
 */
final class McpServer implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private final String address;

	private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private McpServer(ConfigurableApplicationContext context) {
		this.context = context;
		this.address = "http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port");
	}

	/**
	 * Starts the server.
	 * @param properties its properties, as {@code name=value}
	 */
	static McpServer start(String... properties) {
		return start(new Class<?>[] { McpApplication.class }, properties);
	}

	static McpServer start(Class<?>[] sources, String... properties) {
		SpringApplication application = new SpringApplication(sources);
		String[] arguments = Stream
			.concat(Stream.of("server.port=0", "server.shutdown=immediate"), Arrays.stream(properties))
			.map("--"::concat)
			.toArray(String[]::new);
		return new McpServer(application.run(arguments));
	}

	/**
	 * Connects the real client by streamable HTTP.
	 * @param caller the value of the header field by which the tools tell callers apart
	 */
	McpSyncClient client(String caller) {
		return connect(HttpClientStreamableHttpTransport.builder(this.address)
			.httpRequestCustomizer((request, method, uri, body, context) -> request.header("X-Caller", caller))
			.build());
	}

	/**
	 * Connects the real client by server-sent events.
	 */
	@SuppressWarnings("deprecation")
	McpSyncClient eventClient(String caller) {
		return connect(HttpClientSseClientTransport.builder(this.address)
			.httpRequestCustomizer((request, method, uri, body, context) -> request.header("X-Caller", caller))
			.build());
	}

	private static McpSyncClient connect(McpClientTransport transport) {
		McpSyncClient client = McpClient.sync(transport).requestTimeout(Duration.ofMinutes(1)).build();
		client.initialize();
		return client;
	}

	/**
	 * Sends a message.
	 * @param body the body
	 * @param headers names and values of header fields, in turn
	 */
	HttpResponse<String> post(String body, String... headers) {
		return post(BodyPublishers.ofString(body), headers);
	}

	HttpResponse<String> post(BodyPublisher body, String... headers) {
		return send("/mcp", "POST", body, headers);
	}

	HttpResponse<String> send(String path, String method, BodyPublisher body, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.address + path))
			.timeout(Duration.ofMinutes(1))
			.header("Accept", "application/json, text/event-stream")
			.method(method, body);
		boolean typed = Arrays.asList(headers).contains("Content-Type");
		if (!typed) {
			request.header("Content-Type", "application/json");
		}
		if (headers.length > 0) {
			request.headers(headers);
		}
		try {
			return this.http.send(request.build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	int port() {
		return URI.create(this.address).getPort();
	}

	/**
	 * Writes a call of a tool.
	 */
	static String call(String tool) {
		return """
				{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"%s","arguments":{"text":"a"}}}"""
			.formatted(tool);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
