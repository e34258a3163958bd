package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.web.mcp.McpMessages;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Auto-configuration for servers of the Model Context Protocol: reads the messages that
 * rules ask for, and answers rejections as JSON-RPC demands. It is there if endpoints are
 * configured, or Spring AI serves some.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnWebApplication
@Conditional(RateLimitMcpAutoConfiguration.OnEndpoints.class)
@ConditionalOnBean(RateLimitAutoConfiguration.class)
public final class RateLimitMcpAutoConfiguration {

	private static final String ENDPOINTS = "ratelimit.mcp.endpoints";

	private static final String PARSER = "tools.jackson.core.JsonParser";

	private static final String SERVER_OF_SPRING_AI = "org.springframework.ai.mcp.server.common.autoconfigure."
			+ "McpServerAutoConfiguration";

	private static final String OF_SPRING_AI = "spring.ai.mcp.server.";

	@Bean
	McpMessages rateLimitMcpMessages(RateLimitProperties properties, Environment environment) {
		RateLimitProperties.Mcp mcp = properties.mcp();
		List<String> endpoints = endpoints(mcp.endpoints(), environment);
		if (!isPresent(PARSER)) {
			throw InvalidRateLimitException.property(ENDPOINTS, String.join(", ", endpoints),
					"needs Jackson 3 to read messages", "Add the dependency tools.jackson.core:jackson-core.", null);
		}

		try {
			return new McpMessages(endpoints, mcp.errorCode(), Math.toIntExact(mcp.maximumMessageSize().toBytes()));
		}
		catch (PatternParseException ex) {
			throw InvalidRateLimitException.property(ENDPOINTS, String.join(", ", endpoints),
					"has what is not a path pattern: " + ex.toDetailedString(), "Write paths such as /mcp.", ex);
		}
	}

	/*
	 * Spring AI has a path for each of its transports, of which one is served.
	 */
	private static List<String> endpoints(@Nullable List<String> configured, Environment environment) {
		if (configured != null) {
			return configured;
		}
		return List.of(environment.getProperty(OF_SPRING_AI + "streamable-http.mcp-endpoint", "/mcp"),
				environment.getProperty(OF_SPRING_AI + "sse-message-endpoint", "/mcp/message"));
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, RateLimitMcpAutoConfiguration.class.getClassLoader());
	}

	static final class OnEndpoints extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Environment environment = context.getEnvironment();
			List<String> configured = Binder.get(environment)
				.bind(ENDPOINTS, Bindable.listOf(String.class))
				.orElse(null);
			if (configured != null) {
				return outcome(!configured.isEmpty(), ENDPOINTS);
			}
			boolean enabled = environment.getProperty(OF_SPRING_AI + "enabled", Boolean.class, true);
			return outcome(enabled && isPresent(SERVER_OF_SPRING_AI), "Spring AI's server");
		}

		private static ConditionOutcome outcome(boolean found, String what) {
			ConditionMessage.Builder message = ConditionMessage.forCondition("MCP endpoints");
			return new ConditionOutcome(found, message.because(what));
		}

	}

}
