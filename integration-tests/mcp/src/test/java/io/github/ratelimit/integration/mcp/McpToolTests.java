package io.github.ratelimit.integration.mcp;

import java.util.Map;

import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits of the methods of tools, which the real client calls: by each transport, and for
 * tools that return their results and those that return a publisher.
 */
class McpToolTests {

	/* On WebFlux, a method that returns no publisher knows its request only then. */
	private static final String PROPAGATION = "spring.reactor.context-propagation=auto";

	private static McpServer start(String protocol, String type) {
		return McpServer.start("spring.ai.mcp.server.protocol=" + protocol, "spring.ai.mcp.server.type=" + type,
				PROPAGATION);
	}

	private static McpSyncClient client(McpServer server, String protocol, String caller) {
		return protocol.equals("SSE") ? server.eventClient(caller) : server.client(caller);
	}

	private static CallToolResult call(McpSyncClient client, String tool, Map<String, Object> arguments) {
		return client.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
	}

	private static void assertRejected(CallToolResult result, String limit) {
		assertThat(result.isError()).isTrue();
		assertThat(result.content()).singleElement()
			.isInstanceOfSatisfying(TextContent.class,
					(content) -> assertThat(content.text())
						.contains("Rate limit '" + limit + "' exceeded, try again in ")
						.doesNotContain("Exception", "\tat "));
	}

	private static void assertPassed(CallToolResult result) {
		assertThat(result.isError()).as("%s", result).isNotEqualTo(true);
	}

	@ParameterizedTest
	@CsvSource({ "STREAMABLE, SYNC", "STREAMABLE, ASYNC", "STATELESS, SYNC", "STATELESS, ASYNC", "SSE, SYNC",
			"SSE, ASYNC" })
	void toolOfCallerThatIsRejectedSaysWhenToTryAgain(String protocol, String type) {
		String bean = type.equals("SYNC") ? "Tools" : "ReactiveTools";
		try (McpServer server = start(protocol, type);
				McpSyncClient ada = client(server, protocol, "ada");
				McpSyncClient bob = client(server, protocol, "bob")) {
			assertPassed(call(ada, "weather", Map.of()));
			assertRejected(call(ada, "weather", Map.of()), bean + ".weather");
			assertPassed(call(bob, "weather", Map.of()));
			assertRejected(call(bob, "weather", Map.of()), bean + ".weather");

			assertPassed(call(ada, "country", Map.of("country", "Chile")));
			assertRejected(call(bob, "country", Map.of("country", "Chile")), bean + ".country");
			assertPassed(call(bob, "country", Map.of("country", "Peru")));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "STREAMABLE", "STATELESS", "SSE" })
	void toolOfSpringAiSaysSoToo(String protocol) {
		try (McpServer server = start(protocol, "SYNC");
				McpSyncClient ada = client(server, protocol, "ada");
				McpSyncClient bob = client(server, protocol, "bob")) {
			assertPassed(call(ada, "time", Map.of()));
			assertRejected(call(ada, "time", Map.of()), "SpringAiTools.time");
			assertPassed(call(bob, "time", Map.of()));
		}
	}

	/* Spring AI calls such a method of a server of type ASYNC on a thread of its own. */
	@Test
	void toolOfSpringAiSaysSoInServerOfTypeAsync() {
		try (McpServer server = start("STREAMABLE", "ASYNC"); McpSyncClient ada = server.client("ada")) {
			assertPassed(call(ada, "time", Map.of()));
			assertRejected(call(ada, "time", Map.of()), "SpringAiTools.time");
		}
	}

}
