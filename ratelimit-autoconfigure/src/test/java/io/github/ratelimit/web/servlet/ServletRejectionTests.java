package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a rejected request is answered by other servlets and by views.
 */
@ExtendWith(OutputCaptureExtension.class)
class ServletRejectionTests {

	private static final String HTML = "text/html";

	private static final String[] RULE = { "rule: 1 per 1h", "/ruled/** -> rule" };

	private static final List<String> HANDLED = List.of("/ruled", "/annotated", "/argument?name=a");

	private static final List<String> SERVLETS = List.of("/ruled/servlet", "/limited-servlet");

	@Test
	void servletsAreAnsweredForAsHandlersAre() {
		try (TestServer server = start(Servlets.class)) {
			server.get("/ruled").is(200);
			for (String path : SERVLETS) {
				assertPage(server, path, "Whitelabel Error Page");
				Answer head = server.send("HEAD", path, "", "Accept", HTML);
				assertRejected(head, 429, path);
				assertThat(isHtml(head)).isTrue();
				assertProblem(server, path, "*/*");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "never", "always" })
	void aViewIsToldThePolicyAndWhenToComeBackAndWhyIfTheApplicationWantsMessages(String messages) {
		String message = messages.equals("never") ? ""
				: "message=Request cannot be satisfied as assigned quota has been exceeded ";
		try (TestServer server = start(OwnView.class, "spring.web.error.include-message=" + messages)) {
			assertPage(server, "/ruled", "error=Too Many Requests " + message
					+ "path=/ruled policy=rule retryAfter=3600 status=429 timestamp");
			assertPage(server, "/annotated", "path=/annotated policy=Handlers.annotated retryAfter=3600 status=429");
		}
	}

	@Test
	void theViewOfAnApplicationWithItsOwnErrorControllerIsShown() {
		try (TestServer server = start(OwnController.class)) {
			assertPage(server, "/ruled", "policy=rule retryAfter=3600");
			assertPage(server, "/annotated", "policy=Handlers.annotated retryAfter=3600");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { WithoutErrors.class, FailingView.class })
	void aProblemIsSentWhereThereIsNoPageOrItFails(Class<?> source, CapturedOutput output) {
		try (TestServer server = start(source)) {
			for (int i = 0; i < 3; i++) {
				assertProblem(server, "/ruled", HTML);
				assertProblem(server, "/annotated", HTML);
			}
		}
		assertThat(output.getAll().split("The error page for rejected requests failed", -1))
			.hasSize(source.equals(FailingView.class) ? 2 : 1);
	}

	@Test
	void theApplicationsViewWins() {
		try (TestServer server = start(WithView.class)) {
			for (String path : HANDLED) {
				String policy = path.equals("/ruled") ? "rule" : "Handlers." + path.replaceAll("\\W(\\w+).*", "$1");
				Answer response = reject(server, path, HTML);
				assertRejected(response, 503, path);
				assertThat(response.body()).isEqualTo("view of " + policy);
			}
		}
	}

	@Test
	void theApplicationsOwnHandlerAnswersInPlaceOfWhatWasBegun() {
		try (TestServer server = start(OwnHandler.class)) {
			Answer response = reject(server, "/download", "*/*");
			assertRejected(response, 429, "/download");
			assertThat(response.body()).isEqualTo("sorry");
			assertThat(response.headers().firstValue("Content-Disposition")).isEmpty();
		}
	}

	private static TestServer start(Class<?> application, String... more) {
		return TestServer.start(application, TestServer.with(RULE, more));
	}

	private static Answer reject(TestServer server, String path, String accept) {
		server.get(path);
		return server.get(path, "Accept", accept);
	}

	private static void assertRejected(Answer response, int status, String asked) {
		assertThat(response.status()).as(asked + ": " + response.body()).isEqualTo(status);
		response.is(status, "Retry-After: 3600", "X-RateLimit-Retry-After: 3600", "X-RateLimit-Remaining: 0");
		assertThat(response.all("RateLimit")).hasSize(1);
		assertThat(response.all("RateLimit-Policy")).hasSize(1);
	}

	private static void assertPage(TestServer server, String path, String text) {
		Answer response = reject(server, path, HTML);
		assertRejected(response, 429, path);
		assertThat(response.body()).as(path).contains(text);
		assertThat(isHtml(response)).as(path).isTrue();
	}

	private static void assertProblem(TestServer server, String path, String accept) {
		Answer response = reject(server, path, accept);
		assertRejected(response, 429, path + " " + accept);
		assertThat(response.field("Content-Type")).startsWith("application/problem+json");
		assertThat(response.headers().firstValue("Content-Disposition")).isEmpty();
		assertThat(response.body()).startsWith("{\"type\"").endsWith("\"]}");
	}

	private static boolean isHtml(Answer response) {
		return response.headers().firstValue("Content-Type").orElse("").startsWith(HTML);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Handlers.class, Limited.class })
	static class Servlets {

		@Bean
		ServletRegistrationBean<?> plain() {
			return Registrations.servlet("/ruled/servlet", (request, response) -> response.setContentLength(5000));
		}

		@Bean
		ServletRegistrationBean<?> limited(Limited limited) {
			return Registrations.servlet("/limited-servlet", (request, response) -> {
				response.setHeader("Content-Disposition", "attachment");
				limited.greet();
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Limited.class)
	static class OwnHandler {

		@Bean
		ServletRegistrationBean<?> download(Limited limited) {
			return Registrations.servlet("/download", (request, response) -> {
				response.setHeader("Content-Disposition", "attachment");
				response.setContentLength(100_000);
				response.getWriter().print("%PDF");
				limited.greet();
				response.setContentLength(4);
			});
		}

		@Bean
		RateLimitRejectionHandler rejections() {
			return (request, response, policy, decision) -> {
				response.setStatus(429);
				response.getWriter().print("sorry");
			};
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1h")
		public void greet() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handlers.class)
	static class OwnView {

		@Bean("error")
		View page() {
			return Registrations.view((model, response) -> {
				response.setContentType(HTML);
				StringBuilder text = new StringBuilder();
				new TreeMap<>(model).forEach((name, value) -> text.append(name).append('=').append(value).append(' '));
				response.getWriter().print(text);
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(OwnView.class)
	static class OwnController {

		@Bean
		ErrorController ownErrorController() {
			return new ErrorController() {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handlers.class)
	static class FailingView {

		@Bean("error")
		View page() {
			return Registrations.view((model, response) -> {
				response.setContentType(HTML);
				response.getWriter().print("half a page");
				throw new IllegalStateException("expected by the test");
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handlers.class)
	@EnableAutoConfiguration(exclude = ErrorMvcAutoConfiguration.class)
	static class WithoutErrors {

	}

	@Import(Handlers.class)
	@ControllerAdvice
	static class WithView {

		@ExceptionHandler(RateLimitExceededException.class)
		ModelAndView handle(RateLimitExceededException ex) {
			return new ModelAndView("sorry", Map.of("policy", ex.policy().name()), HttpStatus.SERVICE_UNAVAILABLE);
		}

		@Bean
		static View sorry() {
			return Registrations
				.view((model, response) -> response.getWriter().write("view of " + model.get("policy")));
		}

	}

}
