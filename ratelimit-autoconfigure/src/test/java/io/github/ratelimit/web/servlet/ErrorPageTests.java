package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;
import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.view.AbstractView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * People in front of a browser are shown a page.
 */
class ErrorPageTests extends RejectedBrowser {

	@Test
	void aBrowserIsShownTheWhitelabelPage() {
		try (TestServer server = TestServer.start(Handler.class, RULE)) {
			for (String path : PATHS) {
				assertPage(server, path, "Too Many Requests");
				assertThat(reject(server, path, BROWSER).body()).as(path)
					.contains("Whitelabel Error Page")
					.doesNotContain("RateLimitExceededException");
			}
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
			assertThat(server.get("/ruled").statusCode()).isEqualTo(401);
			HttpResponse<String> rejected = server.get("/ruled", "Accept", BROWSER);
			assertThat(rejected.statusCode()).isEqualTo(429);
			assertThat(rejected.body()).contains("Whitelabel Error Page");
		}
	}

	@Test
	void aRequestForTheHeaderFieldsHasThoseOfThePage() {
		try (TestServer server = TestServer.start(Handler.class, RULE)) {
			for (String path : PATHS) {
				server.get(path);
				HttpResponse<String> head = server.send("HEAD", path, "", "Accept", HTML);
				assertThat(head.statusCode()).isEqualTo(429);
				assertThat(isHtml(head)).isTrue();
				assertHeaders(head);
				assertThat(head.body()).isEmpty();
			}
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

}
