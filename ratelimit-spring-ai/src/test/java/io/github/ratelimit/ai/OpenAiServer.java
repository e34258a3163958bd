package io.github.ratelimit.ai;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A server that speaks the wire of OpenAI's chat completions, as far as a client of it
 * can tell. It answers as its scripts say, one for each request.
 */
final class OpenAiServer implements AutoCloseable {

	private static final String USAGE = "{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d}";

	private static final int MORE_THAN_IS_SENT = 1_000_000;

	final Queue<String> requests = new ConcurrentLinkedQueue<>();

	private final Queue<Script> scripts = new ConcurrentLinkedQueue<>();

	private final HttpServer server;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private OpenAiServer(HttpServer server) {
		this.server = server;
	}

	static OpenAiServer start() {
		try {
			OpenAiServer started = new OpenAiServer(
					HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
			started.server.setExecutor(started.threads);
			started.server.createContext("/", started::serve);
			started.server.start();
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String[] properties() {
		return new String[] { "spring.ai.openai.base-url=http://127.0.0.1:" + this.server.getAddress().getPort(),
				"spring.ai.openai.api-key=none", "spring.ai.openai.max-retries=0",
				"spring.ai.openai.chat.max-tokens=100" };
	}

	OpenAiServer then(Script script) {
		this.scripts.add(script);
		return this;
	}

	private void serve(HttpExchange exchange) throws IOException {
		try (exchange) {
			this.requests.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
			Script script = this.scripts.poll();
			if (script == null) {
				throw new IOException("Nothing more was expected");
			}
			script.answer(exchange);
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/**
	 * Answers in one piece.
	 */
	static Script whole(String message, int promptTokens, int completionTokens) {
		String body = "{\"id\":\"1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"gpt\",\"choices\":[{\"index\":0,"
				+ "\"message\":" + message + ",\"finish_reason\":\"" + finish(message) + "\"}],\"usage\":"
				+ usage(promptTokens, completionTokens) + "}";
		return (exchange) -> send(exchange, 200, body);
	}

	static Script error(int status, String code, Map<String, String> fields) {
		return (exchange) -> {
			fields.forEach(exchange.getResponseHeaders()::add);
			send(exchange, status,
					"{\"error\":{\"message\":\"No\",\"type\":\"tokens\",\"param\":null,\"code\":\"" + code + "\"}}");
		};
	}

	private static void send(HttpExchange exchange, int status, String body) throws IOException {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().add("Content-Type", "application/json");
		exchange.sendResponseHeaders(status, bytes.length);
		exchange.getResponseBody().write(bytes);
	}

	/**
	 * Streams an answer with usage in the last chunk.
	 */
	static Script stream(int promptTokens, int completionTokens, String... deltas) {
		return (exchange) -> {
			OutputStream out = begin(exchange, deltas);
			write(out,
					"{\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt\",\"choices\":[],\"usage\":"
							+ usage(promptTokens, completionTokens) + "}");
			write(out, "[DONE]");
		};
	}

	/**
	 * Streams an answer that says nothing of its usage.
	 */
	static Script streamWithoutUsage(String... deltas) {
		return (exchange) -> write(begin(exchange, deltas), "[DONE]");
	}

	/**
	 * Begins to stream an answer, and closes the connection.
	 */
	static Script cutStream(String... deltas) {
		return (exchange) -> {
			exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
			exchange.sendResponseHeaders(200, MORE_THAN_IS_SENT);
			for (String delta : deltas) {
				write(exchange.getResponseBody(), chunk(delta));
			}
		};
	}

	/**
	 * Begins to stream an answer, and goes on with pieces without a text until nobody
	 * reads them. The client waits for a piece before it leaves.
	 */
	static Script endlessStream(String delta) {
		return (exchange) -> {
			OutputStream out = begin(exchange, delta);
			while (true) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
				write(out, chunk(text("")));
			}
		};
	}

	private static OutputStream begin(HttpExchange exchange, String... deltas) throws IOException {
		exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
		exchange.sendResponseHeaders(200, 0);
		for (String delta : deltas) {
			write(exchange.getResponseBody(), chunk(delta));
		}
		String last = deltas[deltas.length - 1];
		write(exchange.getResponseBody(), chunk("{}", "\"" + finish(last) + "\""));
		return exchange.getResponseBody();
	}

	private static String chunk(String delta) {
		return chunk(delta, "null");
	}

	private static String chunk(String delta, String finish) {
		return "{\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt\",\"choices\":[{\"index\":0,"
				+ "\"delta\":" + delta + ",\"finish_reason\":" + finish + "}]}";
	}

	private static String finish(String message) {
		return message.contains("tool_calls") ? "tool_calls" : "stop";
	}

	private static void write(OutputStream out, String data) throws IOException {
		out.write(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
		out.flush();
	}

	private static String usage(int promptTokens, int completionTokens) {
		return USAGE.formatted(promptTokens, completionTokens, promptTokens + completionTokens);
	}

	/**
	 * A message, or a part of one.
	 */
	static String text(String text) {
		return "{\"role\":\"assistant\",\"content\":\"" + text + "\"}";
	}

	static String toolCall(String name) {
		return "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\","
				+ "\"function\":{\"name\":\"" + name + "\",\"arguments\":\"{}\"}}]}";
	}

	/**
	 * What becomes of one request.
	 */
	@FunctionalInterface
	interface Script {

		void answer(HttpExchange exchange) throws IOException;

	}

}
