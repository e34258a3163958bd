package io.github.ratelimit.integration.mcp;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.annotation.RateLimited;
import org.springframework.ai.mcp.annotation.McpTool;
import org.springframework.ai.mcp.annotation.McpToolParam;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.ai.tool.method.MethodToolCallbackProvider;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * An MCP server. One of type SYNC has the tools that return their results, and one of
 * type ASYNC those that return a publisher; both have the tools of Spring AI.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ McpApplication.Tools.class, McpApplication.ReactiveTools.class, McpApplication.SpringAiTools.class })
class McpApplication {

	/* No permit comes back however long a test takes. */
	@Bean
	RateLimitClock clock() {
		return Duration.ofDays(20_000)::toNanos;
	}

	@Bean
	ToolCallbackProvider toolsOfSpringAi(SpringAiTools tools) {
		return MethodToolCallbackProvider.builder().toolObjects(tools).build();
	}

	static class Tools {

		@McpTool(name = "search", description = "Finds a text")
		String search(@McpToolParam(description = "The text") String text) {
			return "found " + text;
		}

		@McpTool(name = "echo", description = "Returns a text")
		String echo(@McpToolParam(description = "The text") String text) {
			return text;
		}

		@McpTool(name = "weather", description = "Tells the weather")
		@RateLimited(limit = 1, window = "1h", key = "header('X-Caller')")
		String weather() {
			return "sunny";
		}

		@McpTool(name = "country", description = "Tells the weather of a country")
		@RateLimited(limit = 1, window = "1h", key = "#country")
		String country(@McpToolParam(description = "The country") String country) {
			return "sunny in " + country;
		}

	}

	static class ReactiveTools {

		@McpTool(name = "search", description = "Finds a text")
		Mono<String> search(@McpToolParam(description = "The text") String text) {
			return Mono.just("found " + text);
		}

		@McpTool(name = "echo", description = "Returns a text")
		Mono<String> echo(@McpToolParam(description = "The text") String text) {
			return Mono.just(text);
		}

		@McpTool(name = "weather", description = "Tells the weather")
		@RateLimited(limit = 1, window = "1h", key = "header('X-Caller')")
		Mono<String> weather() {
			return Mono.fromSupplier(() -> "sunny");
		}

		@McpTool(name = "country", description = "Tells the weather of a country")
		@RateLimited(limit = 1, window = "1h", key = "#country")
		Mono<String> country(@McpToolParam(description = "The country") String country) {
			return Mono.just("sunny in " + country);
		}

	}

	static class SpringAiTools {

		@Tool(name = "time", description = "Tells the time")
		@RateLimited(limit = 1, window = "1h", key = "header('X-Caller')")
		String time() {
			return "noon";
		}

	}

}
