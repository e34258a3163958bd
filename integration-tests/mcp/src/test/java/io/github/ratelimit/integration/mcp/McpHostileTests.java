package io.github.ratelimit.integration.mcp;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that try to call a tool for nothing: however they write its name, no call
 * passes once the budget of the tool is used up.
 */
class McpHostileTests {

	private static McpServer server;

	@BeforeAll
	static void start() {
		server = McpServer.start("spring.ai.mcp.server.protocol=STATELESS",
				"ratelimit.policies.search.algorithm=fixed-window-counter", "ratelimit.policies.search.limit=1",
				"ratelimit.policies.search.window=31d", "ratelimit.rules[0].path=/mcp",
				"ratelimit.rules[0].policy=search", "ratelimit.rules[0].key='all'",
				"ratelimit.rules[0].condition=mcp.tool == 'search'", "ratelimit.mcp.maximum-message-size=16KB");
		assertThat(server.post(McpServer.call("search")).body()).contains("found a");
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void budgetIsUsedUp() {
		assertThat(server.post(McpServer.call("search")).statusCode()).isEqualTo(429);
		assertThat(server.post(McpServer.call("echo")).statusCode()).isEqualTo(200);
	}

	private static void assertNothingFound(HttpResponse<String> answer) {
		assertThat(answer.body()).doesNotContain("found a");
		assertThat(answer.statusCode()).as(answer.body()).isBetween(400, 499);
	}

	static Stream<String> bodies() {
		String search = McpServer.call("search");
		String echo = McpServer.call("echo");
		return Stream.of(search.replace("\"name\":\"search\"", "\"name\":\"echo\",\"name\":\"search\""),
				search.replace("\"name\":\"search\"", "\"name\":\"search\",\"name\":\"echo\""),
				search.replace("\"name\":\"search\"", "\"name\":\"s\\u0065arch\""),
				search.replace("\"name\"", "\"n\\u0061me\""),
				search.replace("\"name\":\"search\"", "\"Name\":\"echo\",\"name\":\"search\""),
				search.replace("tools/call", "tools\\/call"),
				search.replace("\"method\":\"tools/call\"", "\"method\":\"tools/list\",\"method\":\"tools/call\""),
				search.replace("\"method\":\"tools/call\"", "\"method\":\"tools/call\",\"method\":\"tools/list\""),
				"[" + search + "]", "[" + echo + "," + search + "]", search + search, echo + search, "\ufeff" + search,
				" \n" + search + "\n ", "{\"params\":{\"name\":\"echo\"}," + search.substring(1),
				search.substring(0, search.length() - 1) + ",\"params\":{\"name\":\"echo\"}}", "/**/" + search,
				search.replace("\"search\"", "[\"search\"]"), search.replace("\"search\"", "{\"name\":\"search\"}"),
				search.replace("{\"name\"", "{'name'"), search.replace("\"id\":7", "\"id\":null"),
				search.replace("\"id\":7", "\"id\":{\"a\":[1]}"),
				search.replace("\"id\":7", "\"id\":\"" + "7".repeat(5000) + "\""),
				search.replace("\"id\":7", "\"id\":7,\"id\":8"),
				search.replace("\"a\"", "\"" + "x".repeat(20_000) + "\""),
				search.replace("\"id\":7", "\"pad\":\"" + "x".repeat(20_000) + "\",\"id\":7"),
				search.replace("\"jsonrpc\":\"2.0\",", ""));
	}

	@ParameterizedTest
	@MethodSource("bodies")
	void bodyIsReadAsTheServerReadsIt(String body) {
		assertNothingFound(server.post(body));
	}

	@ParameterizedTest
	@MethodSource("bodies")
	void bodyWithoutLengthIsReadAsTheServerReadsIt(String body) {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		assertNothingFound(server.post(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
			"application/xml", "application/json;charset=UTF-16", "application/json;charset=ISO-8859-1",
			"application/json;charset=IBM037", "application/octet-stream", "nonsense", "application/json-rpc" })
	void typeOfTheContentMakesNoDifference(String type) {
		assertNothingFound(server.post(McpServer.call("search"), "Content-Type", type));
	}

	@ParameterizedTest
	@ValueSource(strings = { "UTF-16", "UTF-16LE", "UTF-32", "IBM037", "ISO-2022-JP" })
	void otherCharacterSetsAreNotRead(String charset) {
		byte[] body = McpServer.call("search").getBytes(Charset.forName(charset));
		assertNothingFound(
				server.post(BodyPublishers.ofByteArray(body), "Content-Type", "application/json;charset=" + charset));
	}

	@Test
	void compressedBodyIsNotRead() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (OutputStream gzip = new GZIPOutputStream(bytes)) {
			gzip.write(McpServer.call("search").getBytes(StandardCharsets.UTF_8));
		}
		assertNothingFound(server.post(BodyPublishers.ofByteArray(bytes.toByteArray()), "Content-Encoding", "gzip"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/mcp/", "/mcp;a=b", "/%6dcp", "//mcp", "/./mcp", "/a/../mcp", "/MCP", "/mcp%2f",
			"/mcp?a=b", "/mcp?_method=GET" })
	void pathsThatMayBeServedAsTheEndpointAreOne(String path) {
		assertNothingFound(server.send(path, "POST", BodyPublishers.ofString(McpServer.call("search"))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "PUT", "DELETE", "PATCH", "post" })
	void otherMethodsCallNothing(String method) {
		HttpResponse<String> answer = server.send("/mcp", method, BodyPublishers.ofString(McpServer.call("search")));
		assertNothingFound(answer);
	}

	@ParameterizedTest
	@ValueSource(strings = { "X-HTTP-Method-Override", "X-Method-Override" })
	void methodCannotBeOverridden(String field) {
		assertNothingFound(server.post(McpServer.call("search"), field, "GET"));
	}

	@Test
	void fieldsDoNotChooseTheTool() {
		assertNothingFound(server.post(McpServer.call("search"), "Mcp-Name", "echo"));
		assertNothingFound(server.post(McpServer.call("search"), "Mcp-Name", "echo", "Mcp-Name", "search"));
		assertNothingFound(server.post(McpServer.call("search"), "Mcp-Method", "tools/list"));
		assertNothingFound(server.post(McpServer.call("search"), "Mcp-Session-Id", "made-up", "Last-Event-ID", "1"));
	}

	/* A body whose bytes come one by one, and one that never ends. */
	@Test
	void slowBodyIsWaitedForAndOneThatIsCutOffCallsNothing() throws IOException {
		byte[] body = McpServer.call("search").getBytes(StandardCharsets.UTF_8);
		AtomicInteger next = new AtomicInteger();
		InputStream oneByOne = new InputStream() {

			@Override
			public int read() {
				int i = next.getAndIncrement();
				return (i < body.length) ? body[i] : -1;
			}

			@Override
			public int read(byte[] target, int offset, int length) {
				int value = read();
				if (value < 0) {
					return -1;
				}
				target[offset] = (byte) value;
				return 1;
			}

		};
		assertNothingFound(server.post(BodyPublishers.ofInputStream(() -> oneByOne)));

		try (Socket socket = new Socket("localhost", server.port())) {
			socket.setSoTimeout((int) Duration.ofMinutes(1).toMillis());
			socket.getOutputStream()
				.write(("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n"
						+ "Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + McpServer.call("search"))
					.getBytes(StandardCharsets.US_ASCII));
			socket.shutdownOutput();
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			assertThat(answer).doesNotContain("found a");
		}
	}

}
