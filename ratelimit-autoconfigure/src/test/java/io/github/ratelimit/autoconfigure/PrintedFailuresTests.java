package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * What a whole application prints on its console when it does not start is what
 * {@link FailedStart} finds without one.
 */
@ExtendWith(OutputCaptureExtension.class)
class PrintedFailuresTests {

	private static final Pattern REPORT = Pattern.compile(
			"APPLICATION FAILED TO START\\R\\*+\\R\\RDescription:\\R\\R(.*)\\R\\RAction:\\R\\R(.*)\\R", Pattern.DOTALL);

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "policies.login.limits: [ { limit: 0, window: 1m } ]", "caffeine.maximum-size: many" })
	void mistakeInAPropertyIsPrintedWithItsOrigin(String mistake, CapturedOutput output) throws IOException {
		String yaml = "ratelimit:\n  " + mistake;
		assertThat(printed(yaml, WebApplicationType.NONE, output, FailedStart.Application.class))
			.isEqualTo(FailedStart.of(yaml));
	}

	@Test
	void mistakeInARuleIsPrinted(CapturedOutput output) throws IOException {
		String yaml = """
				ratelimit:
				  policies: { login: { limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: /a/**/b/**, policy: login }]
				""";
		assertThat(printed(yaml, WebApplicationType.SERVLET, output, WholeApplication.class))
			.isEqualTo(FailedStart.ofServer(yaml));
	}

	@Test
	void mistakeInAnAnnotationIsPrinted(CapturedOutput output) throws IOException {
		assertThat(printed("", WebApplicationType.SERVLET, output, WholeApplication.class, UnknownPolicy.class))
			.isEqualTo(FailedStart.ofServer("", UnknownPolicy.class));
	}

	private FailedStart printed(String yaml, WebApplicationType type, CapturedOutput output, Class<?>... sources)
			throws IOException {
		Path file = Files.writeString(this.directory.resolve("application.yml"), yaml);
		SpringApplication application = new SpringApplication(sources);
		application.setWebApplicationType(type);
		assertThatException().isThrownBy(
				() -> application
					.run("--spring.config.location=" + file.toUri(), "--spring.main.banner-mode=off",
							"--server.address=127.0.0.1", "--server.port=0")
					.close());
		Matcher report = REPORT
			.matcher(output.getAll().replace("URL [" + file.toUri().toURL() + "]", "application.yml"));
		assertThat(report.find()).isTrue();
		return new FailedStart(report.group(1), report.group(2).stripTrailing());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WholeApplication {

	}

	static class UnknownPolicy {

		@RateLimited("lgin")
		public void method() {
		}

	}

}
