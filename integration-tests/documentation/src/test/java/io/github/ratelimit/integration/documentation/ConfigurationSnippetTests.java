package io.github.ratelimit.integration.documentation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With every snippet of configuration an application starts, and every property exists.
 */
class ConfigurationSnippetTests {

	static final List<Snippet> SNIPPETS = Snippet.in("yaml", "properties");

	/*
	 * A gateway for WebFlux does not start beside Spring MVC. integration-tests/gateway
	 * starts it with its page's snippets, and integration-tests/mcp an MCP server.
	 */
	@ParameterizedTest
	@FieldSource("SNIPPETS")
	void everyPropertyExists(Snippet snippet) throws IOException {
		for (PropertySource<?> source : load(snippet)) {
			assertThat(((EnumerablePropertySource<?>) source).getPropertyNames()).as(snippet.toString())
				.allMatch((name) -> name.startsWith("ratelimit.") || name.startsWith("spring.cloud.gateway.")
						|| name.startsWith("spring.ai.mcp.") || KnownProperties.contains(name));
		}
	}

	@ParameterizedTest
	@FieldSource("SNIPPETS")
	void applicationStarts(Snippet snippet) throws IOException {
		assertThat(failure(snippet)).as(snippet.toString()).isNull();
	}

	@Test
	void unknownPropertyIsFound() throws IOException {
		assertThat(failure(yaml("ratelimit: { polices: {} }"))).isNotNull();
		assertThat(failure(yaml("ratelimit: { rules: [ { path: /a, policy: none } ] }"))).isNotNull();
		assertThat(KnownProperties.contains("spring.data.redis.hots")).isFalse();
		assertThat(KnownProperties.contains("spring.data.redis.cluster.nodes[0]")).isTrue();
		assertThat(KnownProperties.contains("logging.level.io.github.ratelimit")).isTrue();
	}

	/*
	 * Values are converted as in an application. Spring AI's server has this endpoint.
	 */
	private static Throwable failure(Snippet snippet) throws IOException {
		List<PropertySource<?>> sources = load(snippet);
		Throwable[] failure = new Throwable[1];
		new WebApplicationContextRunner().withUserConfiguration(Application.class)
			.withPropertyValues("ratelimit.mcp.endpoints=/mcp")
			.withInitializer(
					(context) -> context.getEnvironment().setConversionService(new ApplicationConversionService()))
			.withInitializer((context) -> sources.forEach(context.getEnvironment().getPropertySources()::addFirst))
			.run((context) -> failure[0] = context.getStartupFailure());
		return failure[0];
	}

	private static List<PropertySource<?>> load(Snippet snippet) throws IOException {
		PropertySourceLoader loader = snippet.language().equals("yaml") ? new YamlPropertySourceLoader()
				: new PropertiesPropertySourceLoader();
		return loader.load(snippet.toString(), new ByteArrayResource(snippet.text().getBytes(StandardCharsets.UTF_8)));
	}

	private static Snippet yaml(String text) {
		return new Snippet(Path.of("page.md"), 1, "yaml", text);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		/* Beans of expressions are asked only when there is a request. */
		@Bean
		Object plans() {
			return new Object();
		}

		@Bean
		Object devices() {
			return new Object();
		}

		@Bean
		Object accounts() {
			return new Object();
		}

		@Bean
		SearchController searchController() {
			return new SearchController();
		}

	}

	/* Its annotation is overridden. */
	static class SearchController {

		@RateLimited(limit = 100, window = "1m")
		public void search() {
		}

	}

}
