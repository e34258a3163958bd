package io.github.ratelimit.integration.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import io.github.ratelimit.integration.fixtures.Target;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A gateway starts with what {@code docs/gateway.md} shows, and has the routes.
 */
@Timeout(120)
class GatewaySnippetTests {

	private static final Pattern YAML = Pattern.compile("(?s)```yaml\n(.*?)```");

	@ParameterizedTest
	@MethodSource
	void gatewayStarts(String yaml) throws IOException {
		Path file = Files.writeString(Files.createTempFile("snippet", ".yml"),
				yaml.replace("\"#{@userKeyResolver}\"", "\"#{@callers}\""));
		try (Target target = Target.start();
				ConfigurableApplicationContext gateway = Gateway.start(target, Gateway.class, "--server.port=0",
						"--spring.config.location=" + file.toUri())) {
			List<String> routes = gateway.getBean(RouteLocator.class)
				.getRoutes()
				.map((route) -> route.getId())
				.collectList()
				.block();
			assertThat(routes).contains("orders");
		}
		finally {
			Files.delete(file);
		}
	}

	static List<String> gatewayStarts() throws IOException {
		String page = Files.readString(Path.of("..", "..", "docs", "gateway.md"), StandardCharsets.UTF_8);
		List<String> snippets = YAML.matcher(page).results().map((match) -> match.group(1)).toList();
		assertThat(snippets).isNotEmpty();
		return snippets;
	}

}
