package io.github.ratelimit.integration.mcp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.ratelimit.integration.mcp.page.PageApplication;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Runs what docs/mcp.md begins with: its configuration, and its tools.
 */
class McpPageTests {

	private static final Path ROOT = Path.of("..", "..");

	@TempDir
	private Path folder;

	private static String snippet(String language) throws IOException {
		Matcher snippet = Pattern.compile("(?s)```" + language + "\\n(.*?)```")
			.matcher(Files.readString(ROOT.resolve("docs/mcp.md")));
		assertThat(snippet.find()).isTrue();
		return snippet.group(1);
	}

	private static CallToolResult call(McpSyncClient client, String tool, String city) {
		return client.callTool(CallToolRequest.builder(tool).arguments(Map.of("city", city)).build());
	}

	@Test
	void thePageHasTheToolsThatAreTested() throws IOException {
		String tested = Files.readString(ROOT.resolve(
				"integration-tests/mcp/src/test/java/io/github/ratelimit/integration/mcp/page/" + "WeatherTools.java"));
		assertThat(snippet("java")).endsWith(tested.substring(tested.indexOf("@Component")));
	}

	@Test
	void theLimitsOfThePageHold() throws IOException {
		Path configuration = Files.writeString(this.folder.resolve("application.yml"), snippet("yaml"));
		try (McpServer server = McpServer.start(new Class<?>[] { PageApplication.class },
				"spring.config.location=" + configuration.toUri()); McpSyncClient client = server.client("ada")) {
			assertThat(client.listTools().tools()).hasSize(2);
			for (int i = 0; i < 5; i++) {
				assertThat(call(client, "weather", "Rome").isError()).isNotEqualTo(true);
			}
			assertThatException().isThrownBy(() -> call(client, "weather", "Rome"))
				.withStackTraceContaining("\"code\":429,\"message\":\"Rate limit exceeded. Try again in ")
				.withStackTraceContaining("\"violated-policies\":[\"tools\"]");

			assertThat(call(client, "forecast", "Rome").isError()).isNotEqualTo(true);
			assertThat(call(client, "forecast", "Rome").isError()).isNotEqualTo(true);
			CallToolResult third = call(client, "forecast", "Rome");
			assertThat(third.isError()).isTrue();
			assertThat(third.content().toString())
				.contains("Rate limit 'WeatherTools.forecast' exceeded, try again in ");
			assertThat(call(client, "forecast", "Oslo").isError()).isNotEqualTo(true);
		}
	}

}
