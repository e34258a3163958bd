package io.github.ratelimit.integration.mcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Stream;

import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.ai.mcp.annotation.McpTool;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Rules for messages, by what these ask, and how messages are answered that are rejected.
 */
class McpRuleTests {

	private McpServer server;

	@AfterEach
	void stop() {
		if (this.server != null) {
			this.server.close();
		}
	}

	private static McpServer start(String protocol, String... properties) {
		String[] all = { "spring.ai.mcp.server.protocol=" + protocol,
				"ratelimit.policies.tools.algorithm=fixed-window-counter", "ratelimit.policies.tools.limit=1",
				"ratelimit.policies.tools.window=31d", "ratelimit.rules[0].policy=tools" };
		String[] joined = Stream.of(all, properties).flatMap(Arrays::stream).toArray(String[]::new);
		return McpServer.start(joined);
	}

	private void startByTool() {
		this.server = start("STATELESS", "ratelimit.rules[0].path=/mcp", "ratelimit.rules[0].key=mcp.tool",
				"ratelimit.rules[0].condition=mcp.method == 'tools/call'");
	}

	private static void assertRejected(HttpResponse<String> answer, String id) {
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
		String retryAfter = answer.headers().firstValue("Retry-After").orElseThrow();
		assertThat(answer.headers().firstValue("RateLimit-Policy")).isPresent();
		assertThat(answer.body()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":" + id
				+ ",\"error\":{\"code\":429,\"message\":\"Rate limit exceeded. Try again in " + retryAfter
				+ " seconds.\",\"data\":{\"retryAfter\":" + retryAfter + ",\"violated-policies\":[\"tools\"]}}}");
	}

	private static void assertRefused(HttpResponse<String> answer, int code) {
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
		assertThat(answer.body()).startsWith("{\"jsonrpc\":\"2.0\",\"id\":").contains("\"code\":" + code + ",");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
			7      ; 7
			"a\\u00e9" ; "a\\u00e9"
			null   ; null
			[1]    ; null
			""")
	void rejectedMessageIsAnsweredWithAnErrorOfItsIdentifier(String id, String answered) {
		this.server = start("STATELESS", "ratelimit.rules[0].path=/mcp");
		String message = "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\",\"id\":" + id + "}";
		assertThat(this.server.post(McpServer.call("echo")).statusCode()).isEqualTo(200);
		assertRejected(this.server.post(message), answered);
		assertRejected(this.server.post(message, "Mcp-Method", "tools/list"), answered);
	}

	@Test
	void whatIsNoMessageIsAnsweredWithAnErrorWithoutIdentifierOrAProblem() {
		this.server = start("STATELESS", "ratelimit.rules[0].path=/**", "ratelimit.mcp.maximum-message-size=1KB");
		assertThat(this.server.post(McpServer.call("echo")).statusCode()).isEqualTo(200);

		assertRejected(this.server.post(""), "null");
		assertRejected(this.server.post("no JSON"), "null");
		assertRejected(this.server.post("[" + McpServer.call("echo") + "]"), "null");
		assertRejected(this.server.post("{\"id\":1,\"method\":\"" + "x".repeat(2000) + "\"}"), "null");
		assertRejected(this.server.post("{\"id\":1,\"method\":\"" + "x".repeat(500) + "\"}"), "1");

		HttpResponse<String> elsewhere = this.server.send("/elsewhere", "POST", BodyPublishers.ofString("{\"id\":1}"));
		assertThat(elsewhere.statusCode()).isEqualTo(429);
		assertThat(elsewhere.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/problem+json");
		HttpResponse<String> stream = this.server.send("/mcp", "GET", BodyPublishers.noBody());
		assertThat(stream.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/problem+json");
		assertRejected(this.server.send("/elsewhere", "POST", BodyPublishers.ofString("{\"id\":1,\"method\":\"a\"}"),
				"Mcp-Method", "a"), "null");
	}

	@Test
	void bodyOfWhatOnlyClaimsToBeAMessageIsNotWaitedFor() throws IOException {
		this.server = start("STATELESS", "ratelimit.rules[0].path=/**");
		assertThat(this.server.post(McpServer.call("echo")).statusCode()).isEqualTo(200);

		try (Socket socket = new Socket("localhost", this.server.port())) {
			socket.setSoTimeout((int) Duration.ofMinutes(1).toMillis());
			socket.getOutputStream()
				.write(("POST /elsewhere HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
						+ "Mcp-Method: tools/call\r\nContent-Length: 5000\r\n\r\n{\"id\":1,")
					.getBytes(StandardCharsets.US_ASCII));
			BufferedReader answer = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
			assertThat(answer.readLine()).startsWith("HTTP/1.1 429");
		}
	}

	@Test
	void codeAndNamesAreConfigurable() {
		this.server = start("STATELESS", "ratelimit.rules[0].path=/mcp", "ratelimit.mcp.error-code=-32023",
				"ratelimit.headers.policy-names=short");
		assertThat(this.server.post(McpServer.call("echo")).statusCode()).isEqualTo(200);
		assertThat(this.server.post(McpServer.call("echo")).body()).contains("\"code\":-32023,",
				"\"violated-policies\":[\"p1\"]");
	}

	@Test
	void eachToolHasABudget() {
		startByTool();
		assertThat(this.server.post(McpServer.call("echo")).body()).contains("\"a\"");
		assertRejected(this.server.post(McpServer.call("echo")), "7");
		assertThat(this.server.post(McpServer.call("search")).body()).contains("found a");
		assertRejected(this.server.post(McpServer.call("search")), "7");
		assertThat(this.server.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}").body())
			.contains("search");
	}

	@ParameterizedTest
	@ValueSource(strings = { "STREAMABLE", "SSE" })
	void realClientIsToldWhenToTryAgain(String protocol) {
		this.server = start(protocol, "ratelimit.rules[0].path=/mcp/**",
				"ratelimit.rules[0].condition=mcp.tool == 'search'");
		try (McpSyncClient client = protocol.equals("SSE") ? this.server.eventClient("ada")
				: this.server.client("ada")) {
			CallToolRequest call = CallToolRequest.builder("search").arguments(Map.of("text", "a")).build();
			assertThat(client.callTool(call).isError()).isNotEqualTo(true);
			assertThatException().isThrownBy(() -> client.callTool(call))
				.withStackTraceContaining("Rate limit exceeded. Try again in ");
			CallToolRequest other = CallToolRequest.builder("echo").arguments(Map.of("text", "a")).build();
			assertThat(client.callTool(other).isError()).isNotEqualTo(true);
			assertThat(client.listTools().tools()).isNotEmpty();
		}
	}

	/* The request is dispatched again when it has waited. */
	@Test
	void messageThatHasWaitedIsServed() {
		this.server = McpServer.start(new Class<?>[] { WaitingApplication.class },
				"spring.ai.mcp.server.protocol=STATELESS", "ratelimit.policies.tools.algorithm=leaky-bucket",
				"ratelimit.policies.tools.limit=5", "ratelimit.policies.tools.window=1s",
				"ratelimit.policies.tools.burst=10", "ratelimit.rules[0].policy=tools", "ratelimit.rules[0].path=/mcp",
				"ratelimit.rules[0].key=mcp.tool");
		for (int i = 0; i < 4; i++) {
			assertThat(this.server.post(McpServer.call("weather")).body()).contains("sunny");
		}
	}

	@Test
	void fieldsThatAgreeWithTheBodyChangeNothing() {
		startByTool();
		String name = "=?base64?" + Base64.getEncoder().encodeToString("echo".getBytes(StandardCharsets.UTF_8)) + "?=";
		assertThat(this.server.post(McpServer.call("echo"), "Mcp-Method", "tools/call", "Mcp-Name", name).statusCode())
			.isEqualTo(200);
		assertRejected(this.server.post(McpServer.call("echo"), "Mcp-Method", "tools/call", "Mcp-Name", "echo"), "7");
	}

	@ParameterizedTest
	@CsvSource({ "Mcp-Method, tools/list", "Mcp-Name, echo", "Mcp-Name, =?base64?ZWNobw==?=", "Mcp-Name, SEARCH",
			"mcp-name, echo" })
	void fieldThatContradictsTheBodyIsRefused(String field, String value) {
		startByTool();
		assertRefused(this.server.post(McpServer.call("search"), field, value), -32020);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WaitingApplication {

		@Bean
		WaitingTools tools() {
			return new WaitingTools();
		}

	}

	static class WaitingTools {

		@McpTool(name = "weather", description = "Tells the weather")
		String weather() {
			return "sunny";
		}

	}

}
