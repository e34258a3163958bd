package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Refreshes the context of an application that must not start, and asks Spring Boot's
 * failure analyzers about it. {@link PrintedFailuresTests} shows that a whole application
 * prints the same.
 *
 * @param description what was wrong
 * @param action what to write instead
 */
public record FailedStart(String description, String action) {

	static FailedStart of(String yaml, Class<?>... sources) {
		return of(new ApplicationContextRunner().withUserConfiguration(Application.class), yaml, sources);
	}

	/**
	 * Refreshes the context of a servlet application that has environment variables
	 * beside its file.
	 */
	static FailedStart of(String yaml, Map<String, Object> variables, Class<?>... sources) {
		return of(new WebApplicationContextRunner().withUserConfiguration(Server.class)
			.withInitializer((context) -> setVariables(context.getEnvironment(), variables)), yaml, sources);
	}

	/**
	 * An application that has environment variables beside its file, and starts.
	 */
	public static ApplicationContextRunner starting(String yaml, Map<String, Object> variables) {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class))
			.withInitializer((context) -> {
				setVariables(context.getEnvironment(), variables);
				addProperties(context.getEnvironment(), yaml);
			});
	}

	static void setVariables(ConfigurableEnvironment environment, Map<String, Object> variables) {
		String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		environment.getPropertySources().replace(name, new SystemEnvironmentPropertySource(name, variables));
	}

	static FailedStart of(String yaml, ClassLoader classLoader, Class<?>... sources) {
		return of(new ApplicationContextRunner().withClassLoader(classLoader).withUserConfiguration(Application.class),
				yaml, sources);
	}

	/**
	 * Refreshes the context of a servlet application. Its server is not started.
	 */
	static FailedStart ofServer(String yaml, Class<?>... sources) {
		return of(new WebApplicationContextRunner().withUserConfiguration(Server.class), yaml, sources);
	}

	private static FailedStart of(AbstractApplicationContextRunner<?, ?, ?> runner, String yaml, Class<?>... sources) {
		AtomicReference<FailedStart> failed = new AtomicReference<>();
		AtomicReference<ConfigurableApplicationContext> started = new AtomicReference<>();
		runner.withUserConfiguration(sources).withInitializer((context) -> {
			addProperties(context.getEnvironment(), yaml);
			started.set(context);
		}).run((context) -> {
			assertThat(context).hasFailed();
			failed.set(analyze(Objects.requireNonNull(context.getStartupFailure()), started.get()));
		});
		return failed.get();
	}

	public static void addProperties(ConfigurableEnvironment environment, String yaml) {
		ByteArrayResource file = new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)) {

			@Override
			public String getDescription() {
				return "application.yml";
			}

		};
		try {
			new YamlPropertySourceLoader().load("application.yml", file)
				.forEach(environment.getPropertySources()::addLast);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		ConfigurationPropertySources.attach(environment);
	}

	/* As Spring Boot does, which leaves out analyzers for libraries that are missing. */
	private static FailedStart analyze(Throwable failure, ConfigurableApplicationContext context) {
		List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation(context.getClassLoader())
			.load(FailureAnalyzer.class, ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
				.and(Environment.class, context.getEnvironment()), (type, name, missing) -> {
				});
		FailureAnalysis analysis = analyzers.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow(() -> new AssertionError("Nothing analyzes the failure", failure));
		return new FailedStart(analysis.getDescription(), analysis.getAction());
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(RateLimitAutoConfiguration.class)
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
			RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class,
			RateLimitMvcAutoConfiguration.class, RateLimitServletAutoConfiguration.class })
	static class Server {

	}

}
