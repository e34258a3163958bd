package io.github.ratelimit.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Finds the paths that take messages for an MCP server: those that are configured, or
 * else those of Spring AI's server. Matches if there are some.
 */
final class OnMcpEndpoints extends SpringBootCondition {

	static final String PROPERTY = "ratelimit.mcp.endpoints";

	private static final String SERVER = "org.springframework.ai.mcp.server.common.autoconfigure."
			+ "McpServerAutoConfiguration";

	private static final String OF_SERVER = "spring.ai.mcp.server.";

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		List<String> endpoints = endpoints(context.getEnvironment(), context.getClassLoader());
		return new ConditionOutcome(!endpoints.isEmpty(),
				ConditionMessage.forCondition("MCP endpoints").because("they are " + endpoints));
	}

	/*
	 * Spring AI has a path for each of its transports, of which one is served.
	 */
	static List<String> endpoints(Environment environment, @Nullable ClassLoader classLoader) {
		List<String> configured = Binder.get(environment).bind(PROPERTY, Bindable.listOf(String.class)).orElse(null);
		if (configured != null) {
			return configured;
		}
		boolean served = ClassUtils.isPresent(SERVER, classLoader)
				&& environment.getProperty(OF_SERVER + "enabled", Boolean.class, true);
		if (!served) {
			return List.of();
		}
		return List.of(environment.getProperty(OF_SERVER + "streamable-http.mcp-endpoint", "/mcp"),
				environment.getProperty(OF_SERVER + "sse-message-endpoint", "/mcp/message"));
	}

}
