package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Starts an application that must not start, and reads what the console says about it.
 *
 * @param description what was wrong
 * @param action what to write instead
 */
record FailedStart(String description, String action) {

	private static final Pattern REPORT = Pattern.compile(
			"APPLICATION FAILED TO START\\R\\*+\\R\\RDescription:\\R\\R(.*)\\R\\RAction:\\R\\R(.*)\\R", Pattern.DOTALL);

	static FailedStart of(String yaml, Path directory, CapturedOutput output, Class<?>... sources) throws IOException {
		return of(yaml, directory, output, ClassUtils.getDefaultClassLoader(), sources);
	}

	static FailedStart of(String yaml, Path directory, CapturedOutput output, ClassLoader classLoader,
			Class<?>... sources) throws IOException {
		SpringApplication application = new SpringApplication(sources);
		application.addPrimarySources(List.of(Application.class));
		application.setWebApplicationType(WebApplicationType.NONE);
		return of(application, yaml, directory, output, classLoader);
	}

	static FailedStart ofServer(String yaml, Path directory, CapturedOutput output, Class<?>... sources)
			throws IOException {
		SpringApplication application = new SpringApplication(sources);
		application.addPrimarySources(List.of(Server.class));
		return of(application, yaml, directory, output, ClassUtils.getDefaultClassLoader());
	}

	private static FailedStart of(SpringApplication application, String yaml, Path directory, CapturedOutput output,
			ClassLoader classLoader) throws IOException {
		Path file = Files.writeString(directory.resolve("application.yml"), yaml);
		Thread thread = Thread.currentThread();
		ClassLoader original = thread.getContextClassLoader();
		thread.setContextClassLoader(classLoader);
		try {
			assertThatException().isThrownBy(
					() -> application
						.run("--spring.config.location=" + file.toUri(), "--spring.main.banner-mode=off",
								"--server.address=127.0.0.1", "--server.port=0")
						.close());
		}
		finally {
			thread.setContextClassLoader(original);
		}
		Matcher report = REPORT
			.matcher(output.getAll().replace("URL [" + file.toUri().toURL() + "]", "application.yml"));
		if (!report.find()) {
			throw new AssertionError("No analysis was printed");
		}
		return new FailedStart(report.group(1), report.group(2).strip());
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(RateLimitAutoConfiguration.class)
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Server {

	}

}
