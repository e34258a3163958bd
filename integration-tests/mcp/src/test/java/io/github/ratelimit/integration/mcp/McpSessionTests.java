package io.github.ratelimit.integration.mcp;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Map;

import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that try to call a tool for nothing by what sessions and streams have.
 */
class McpSessionTests {

	private static final String SESSION = "Mcp-Session-Id";

	private static final String INITIALIZE = """
			{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},
			"clientInfo":{"name":"test","version":"1"}}}""";

	private McpServer server;

	private void start(String protocol, String phase) {
		this.server = McpServer.start("spring.ai.mcp.server.protocol=" + protocol,
				"ratelimit.policies.search.algorithm=fixed-window-counter", "ratelimit.policies.search.limit=2",
				"ratelimit.policies.search.window=31d", "ratelimit.rules[0].path=/mcp/**",
				"ratelimit.rules[0].policy=search", "ratelimit.rules[0].phase=" + phase,
				"ratelimit.rules[0].condition=mcp.tool == 'search'");
	}

	@AfterEach
	void stop() {
		this.server.close();
	}

	private String begin() {
		HttpResponse<String> answer = this.server.post(INITIALIZE);
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
		return answer.headers().firstValue(SESSION).orElseThrow();
	}

	private HttpResponse<String> search(String session) {
		return this.server.post(McpServer.call("search"), SESSION, session);
	}

	@ParameterizedTest
	@ValueSource(strings = { "before-security", "after-security" })
	void anotherSessionIsNoOtherBudget(String phase) {
		start("STREAMABLE", phase);
		String first = begin();
		assertThat(search(first).body()).contains("found a");
		assertThat(search(begin()).body()).contains("found a");
		assertThat(search(first).statusCode()).isEqualTo(429);
		for (int i = 0; i < 5; i++) {
			assertThat(search(begin()).statusCode()).isEqualTo(429);
		}
		assertThat(search("made-up").statusCode()).isEqualTo(429);
		assertThat(this.server.post(McpServer.call("echo"), SESSION, first).body()).contains("\"a\"");
	}

	@Test
	void sessionGoesOnWhenTheBudgetIsUsedUpAndCallsNothing() {
		start("STREAMABLE", "before-security");
		String session = begin();
		assertThat(search(session).body()).contains("found a");
		assertThat(search(session).body()).contains("found a");

		HttpResponse<String> response = this.server.post("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}", SESSION,
				session);
		assertThat(response.statusCode()).isNotEqualTo(429);
		assertThat(response.body()).doesNotContain("found a");
		HttpResponse<String> ended = this.server.send("/mcp", "DELETE",
				BodyPublishers.ofString(McpServer.call("search")), SESSION, session);
		assertThat(ended.statusCode()).isEqualTo(200);
		assertThat(ended.body()).doesNotContain("found a");
		assertThat(search(session).statusCode()).isEqualTo(429);
	}

	@Test
	void pathsOfServerSentEventsAreEndpointsToo() {
		start("SSE", "after-security");
		try (McpSyncClient client = this.server.eventClient("ada")) {
			CallToolRequest call = CallToolRequest.builder("search").arguments(Map.of("text", "a")).build();
			client.callTool(call);
			client.callTool(call);
		}
		for (String path : new String[] { "/mcp/message", "/mcp/message/", "/mcp;a=b/message;c=d", "/mcp//message",
				"/mcp/%6dessage", "/./mcp/message", "/mcp/message?sessionId=made-up" }) {
			HttpResponse<String> answer = this.server.send(path, "POST",
					BodyPublishers.ofString(McpServer.call("search")));
			assertThat(answer.statusCode()).as(path).isIn(400, 404, 429);
			if (answer.statusCode() == 429) {
				assertThat(answer.body()).as(path).startsWith("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":");
			}
		}
		assertThat(this.server.send("/mcp/message", "POST", BodyPublishers.ofString(McpServer.call("search")))
			.statusCode()).isEqualTo(429);
	}

}
