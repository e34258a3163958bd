package io.github.ratelimit.web.servlet;

import java.util.Map;
import java.util.TreeMap;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.view.AbstractView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * People in front of a browser are shown a page. Programs get a problem, and so does a
 * browser where there is no page.
 */
@ExtendWith(OutputCaptureExtension.class)
class ErrorPageTests extends RejectedBrowser {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Handler.class, RULE);
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void aBrowserIsShownTheWhitelabelPage() {
		for (String path : PATHS) {
			assertPage(server, path, "Too Many Requests");
			assertThat(reject(server, path, BROWSER).body()).as(path)
				.contains("Whitelabel Error Page")
				.doesNotContain("RateLimitExceededException");
		}
	}

	@ParameterizedTest
	@CsvSource({ "pages, Slow down", "pages-4xx, Something is wrong with the request" })
	void theApplicationsPageForTheStatusOrItsKindWins(String folder, String text) {
		try (TestServer server = TestServer.start(Handler.class,
				with("spring.web.resources.static-locations=classpath:/" + folder + "/"))) {
			for (String path : PATHS) {
				assertPage(server, path, text);
			}
		}
	}

	@Test
	void aViewIsToldThePolicyAndWhenToComeBack() {
		try (TestServer server = TestServer.start(OwnView.class, RULE)) {
			assertPage(server, "/ruled",
					"error=Too Many Requests path=/ruled policy=rule retryAfter=3600 status=429 timestamp");
			assertPage(server, "/annotated",
					"error=Too Many Requests path=/annotated policy=Handler.annotated retryAfter=3600 status=429");
		}
	}

	@Test
	void theViewOfAnApplicationWithItsOwnErrorControllerIsShown() {
		try (TestServer server = TestServer.start(OwnController.class, RULE)) {
			assertPage(server, "/ruled", "policy=rule retryAfter=3600");
			assertPage(server, "/annotated", "policy=Handler.annotated retryAfter=3600");
		}
	}

	@Test
	void anErrorSaysWhyWhereTheApplicationWantsMessages() {
		try (TestServer server = TestServer.start(OwnView.class, with("spring.web.error.include-message=always"))) {
			assertPage(server, "/ruled", "message=Request cannot be satisfied as assigned quota has been exceeded");
		}
	}

	@Test
	void aPageIsShownWhereSpringSecurityWouldNotLetTheErrorDispatchPass() {
		try (TestServer server = TestServer.startSecured(Handler.class, RULE)) {
			server.get("/ruled").is(401);
			Answer rejected = server.get("/ruled", "Accept", BROWSER);
			rejected.is(429);
			assertThat(rejected.body()).contains("Whitelabel Error Page");
		}
	}

	@Test
	void aRequestForTheHeaderFieldsHasThoseOfThePage() {
		for (String path : PATHS) {
			server.get(path);
			Answer head = server.send("HEAD", path, "", "Accept", HTML);
			head.is(429);
			assertThat(isHtml(head)).isTrue();
			assertHeaders(head);
			assertThat(head.body()).isEmpty();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	static class OwnView {

		@Bean("error")
		View page() {
			return new AbstractView() {

				@Override
				protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
						HttpServletResponse response) throws Exception {
					response.setContentType("text/html");
					StringBuilder text = new StringBuilder();
					new TreeMap<>(model)
						.forEach((name, value) -> text.append(name).append('=').append(value).append(' '));
					response.getWriter().print(text);
				}

			};
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

	@Test
	void aProgramGetsAProblem() {
		for (String path : PATHS) {
			assertProblem(server, path, "*/*");
			assertProblem(server, path, "application/json");
			assertProblem(server, path, "application/json, text/plain, */*");
		}
		assertThat(server.raw("GET /ruled")).startsWith("http/1.1 429").contains("application/problem+json");
	}

	@Test
	void theChoiceIsTheOneOfBootsErrorController() {
		for (String accept : new String[] { HTML, BROWSER, "TEXT/HTML", "text/*", "text/plain, text/html;q=0.9",
				"text/html;q=0.1, */*", "*/*, text/html", "application/json, text/html;q=0.5", "application/xhtml+xml",
				"text/html;level=1", "text/html;charset=utf-8", "image/png, text/html" }) {
			assertThat(isHtml(reject(server, "/ruled", accept))).as(accept)
				.isEqualTo(isHtml(server.get("/missing", "Accept", accept)));
		}
	}

	@Test
	void aMalformedPreferenceDoesNoHarm() {
		server.get("/ruled");
		server.get("/annotated");
		for (String accept : new String[] { "text/html;", "text/html,,,;;", "text/html; q=abc", "text/", "/html",
				"text/html/html", "text/html\"", "text/html;q=\"", "%00text/html", "*" }) {
			for (String path : new String[] { "/ruled", "/annotated" }) {
				assertThat(server.raw("GET " + path, "Accept: " + accept)).as(accept)
					.startsWith("http/1.1 429")
					.contains("retry-after: 3600");
			}
		}
	}

	@Test
	void aHugePreferenceDoesNoHarm(CapturedOutput output) {
		server.get("/ruled");
		for (String accept : new String[] { "text/html,".repeat(700), "text/html;a=" + "b".repeat(7000),
				"text/" + "x".repeat(7000), "text/html" + ";a=b".repeat(1700) }) {
			assertThat(server.raw("GET /ruled", "Accept: " + accept)).startsWith("http/1.1 429");
		}
		assertThat(output).doesNotContain("WARN").doesNotContain("ERROR");
	}

	@Test
	void aProblemIsSentWhereThereIsNoPage() {
		try (TestServer server = TestServer.start(Handler.class, with("spring.web.error.whitelabel.enabled=false"))) {
			assertProblem(server, "/ruled", HTML);
			assertProblem(server, "/annotated", HTML);
		}
	}

	@Test
	void aProblemIsSentWhereBootHandlesNoErrors() {
		try (TestServer server = TestServer.start(WithoutErrors.class, RULE)) {
			assertProblem(server, "/ruled", HTML);
			assertProblem(server, "/annotated", HTML);
		}
	}

	@Test
	void aProblemIsSentWhereThePageFails(CapturedOutput output) {
		try (TestServer server = TestServer.start(FailingView.class, RULE)) {
			for (int i = 0; i < 3; i++) {
				assertProblem(server, "/ruled", HTML);
				assertProblem(server, "/annotated", HTML);
			}
			assertThat(output).containsOnlyOnce("The error page for rejected requests failed");
		}
	}

	private static void assertProblem(TestServer server, String path, String accept) {
		assertProblem(reject(server, path, accept), path + " " + accept);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	static class FailingView {

		@Bean("error")
		View page() {
			return new AbstractView() {

				@Override
				protected void renderMergedOutputModel(Map<String, Object> model, @Nullable HttpServletRequest request,
						HttpServletResponse response) throws Exception {
					response.setContentType("text/html");
					response.getWriter().print("half a page");
					throw new IllegalStateException("expected by the test");
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	@EnableAutoConfiguration(exclude = ErrorMvcAutoConfiguration.class)
	static class WithoutErrors {

	}

}
