package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.web.mcp.McpMessages;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
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
@Conditional(OnMcpEndpoints.class)
@ConditionalOnBean(RateLimitAutoConfiguration.class)
public final class RateLimitMcpAutoConfiguration {

	private static final String PARSER = "tools.jackson.core.JsonParser";

	@Bean
	McpMessages rateLimitMcpMessages(RateLimitProperties properties, ApplicationContext context) {
		RateLimitProperties.Mcp mcp = properties.mcp();
		List<String> endpoints = OnMcpEndpoints.endpoints(context.getEnvironment(), context.getClassLoader());
		String written = String.join(", ", endpoints);
		if (!ClassUtils.isPresent(PARSER, context.getClassLoader())) {
			throw InvalidRateLimitException.property(OnMcpEndpoints.PROPERTY, written,
					"needs Jackson 3 to read messages", "Add the dependency tools.jackson.core:jackson-core.", null);
		}

		try {
			return new McpMessages(endpoints, mcp.errorCode(), Math.toIntExact(mcp.maximumMessageSize().toBytes()));
		}
		catch (PatternParseException ex) {
			throw InvalidRateLimitException.property(OnMcpEndpoints.PROPERTY, written,
					"has what is not a path pattern: " + ex.toDetailedString(), "Write paths such as /mcp.", ex);
		}
	}

}
