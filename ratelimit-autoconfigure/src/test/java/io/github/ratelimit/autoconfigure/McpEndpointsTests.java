package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.web.mcp.McpMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where messages for an MCP server are read, and mistakes about that.
 */
class McpEndpointsTests {

	private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(RateLimitAutoConfiguration.class,
			RateLimitMethodAutoConfiguration.class, RateLimitMcpAutoConfiguration.class,
			RateLimitReactiveAutoConfiguration.class, RateLimitServletAutoConfiguration.class);

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(CONFIGURATIONS)
		.withPropertyValues("ratelimit.policies.tools.limit=1", "ratelimit.policies.tools.window=1m",
				"ratelimit.rules[0].path=/mcp", "ratelimit.rules[0].policy=tools");

	@Test
	void nothingIsReadUnlessEndpointsAreConfigured() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(McpMessages.class));
		this.runner.withPropertyValues("ratelimit.mcp.endpoints=")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(McpMessages.class));
		this.runner.withPropertyValues("ratelimit.mcp.endpoints=/mcp")
			.run((context) -> assertThat(context).hasSingleBean(McpMessages.class));
		new ReactiveWebApplicationContextRunner().withConfiguration(CONFIGURATIONS)
			.withPropertyValues("ratelimit.mcp.endpoints=/mcp")
			.run((context) -> assertThat(context).hasSingleBean(McpMessages.class));
		new ApplicationContextRunner().withConfiguration(CONFIGURATIONS)
			.withPropertyValues("ratelimit.mcp.endpoints=/mcp")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(McpMessages.class));
	}

	@ParameterizedTest
	@CsvSource({ "/mcp, /mcp", "/**, /mcp", "/mcp/**, /mcp", "/{server}/mcp, /a/mcp", "'/{tenant}/mcp', '/{id}/mcp'" })
	void ruleThatReadsMessagesMatchesAnEndpoint(String path, String endpoint) {
		this.runner
			.withPropertyValues("ratelimit.mcp.endpoints=" + endpoint, "ratelimit.rules[0].path=" + path,
					"ratelimit.rules[0].key=mcp.tool")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void ruleThatReadsMessagesWhereThereAreNoneIsAMistake() {
		this.runner
			.withPropertyValues("ratelimit.mcp.endpoints=/mcp", "ratelimit.rules[0].path=/tools",
					"ratelimit.rules[0].condition=mcp.tool == 'a'")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("ratelimit.rules[0].path")
				.hasMessageContaining("matches no endpoint of an MCP server"));
		this.runner.withPropertyValues("ratelimit.rules[0].key=mcp.tool")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("reads 'mcp', but there is no MCP server"));
	}

	@ParameterizedTest
	@CsvSource({ "maximum-message-size, 1B, is out of range", "maximum-message-size, 65MB, is out of range",
			"endpoints, '/mcp,,/b', has an endpoint that is blank", "endpoints, '/{', has what is not a path pattern" })
	void valueThatCannotBeUsedIsAMistake(String property, String value, String reason) {
		this.runner.withPropertyValues("ratelimit.mcp.endpoints=/mcp", "ratelimit.mcp." + property + "=" + value)
			.run((context) -> assertThat(context.getStartupFailure()).isNotNull()
				.satisfies((failure) -> assertThat(failure).hasStackTraceContaining(reason)));
	}

	@Test
	void messagesNeedAParser() {
		this.runner.withClassLoader(new FilteredClassLoader("tools.jackson"))
			.withPropertyValues("ratelimit.mcp.endpoints=/mcp")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("needs Jackson 3 to read messages"));
	}

}
