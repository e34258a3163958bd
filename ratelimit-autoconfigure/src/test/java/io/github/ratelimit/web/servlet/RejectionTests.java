package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.view.AbstractView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who answers a rejection, over HTTP.
 */
class RejectionTests extends RejectedBrowser {

	private static final String[] ANSWERED = { "/ruled", "/annotated", "/argument?name=a" };

	@Test
	void aHandlerForEveryExceptionDoesNotSwallowARejection() {
		try (TestServer server = TestServer.start(CatchAll.class, RULE)) {
			for (String path : ANSWERED) {
				assertProblem(server, path);
			}
			assertThat(server.get("/fail").body()).isEqualTo("caught");
		}
	}

	@Test
	void anAdviceThatNamesTheExceptionWins() {
		try (TestServer server = TestServer.start(WithAdvice.class, RULE)) {
			assertHandled(server, "/ruled", "advice: rule");
			assertHandled(server, "/annotated", "advice: Handler.annotated");
			assertHandled(server, "/argument?name=a", "advice: Handler.argument");
		}
	}

	@Test
	void theHandlerIsChosenByWhatTheRequestAccepts() {
		try (TestServer server = TestServer.start(ByMediaType.class, RULE)) {
			for (String path : ANSWERED) {
				server.get(path);
				assertChosen(server, path, "application/json", "application/json", "{\"by\":\"json\"}");
				assertChosen(server, path, "text/html", "text/html", "html");
				assertChosen(server, path, "text/html;q=0.5, application/json", "application/json",
						"{\"by\":\"json\"}");
				assertChosen(server, path, "image/png, text/html", "text/html", "html");
				assertPlainProblem(server.get(path, "Accept", "image/png"), path);
			}
		}
	}

	@Test
	void aHandlerThatProducesSomethingElseLeavesTheRequestToTheProblem() {
		try (TestServer server = TestServer.start(OnlyHtml.class, RULE)) {
			for (String path : ANSWERED) {
				server.get(path);
				assertChosen(server, path, "text/html", "text/html", "html");
				assertPlainProblem(server.get(path, "Accept", "application/json"), path);
			}
		}
	}

	@Test
	void aControllersOwnHandlerWinsForItsMethodsOnly() {
		try (TestServer server = TestServer.start(OwnHandler.class, RULE)) {
			assertHandled(server, "/own", "own: OwnHandler.own");
			assertProblem(server, "/ruled");
			assertProblem(server, "/annotated");
		}
	}

	@Test
	void anExceptionHandlerMayAnswerWithAView() {
		try (TestServer server = TestServer.start(WithView.class, RULE)) {
			assertHandled(server, "/ruled", "view of rule");
			assertHandled(server, "/annotated", "view of Handler.annotated");
		}
	}

	@Test
	void aRejectionHandlerBeanReplacesTheProblem() {
		try (TestServer server = TestServer.start(WithRejectionHandler.class, RULE)) {
			assertHandled(server, "/ruled", "sorry: rule PT1H");
			assertHandled(server, "/annotated", "sorry: Handler.annotated PT1H");
			assertHandled(server, "/argument?name=a", "sorry: Handler.argument PT1H");
		}
	}

	@Test
	void aRejectionHandlerMayNeedSpringMvcItself() {
		try (TestServer server = TestServer.start(WithRejectionHandlerOfMvc.class, RULE)) {
			assertHandled(server, "/ruled", "sorry");
			assertHandled(server, "/annotated", "sorry");
			server.send("POST", "/body", "{", "Content-Type", "application/json").is(400);
			assertThat(server.send("POST", "/body", "{", "Content-Type", "application/json").body()).isEqualTo("sorry");
		}
	}

	@Test
	void withoutHeadersOnlyRetryAfterIsSent() {
		try (TestServer server = TestServer.start(Handler.class, with("ratelimit.headers="))) {
			assertThat(server.get("/ruled").headers().map().keySet())
				.noneMatch((name) -> name.toLowerCase().contains("ratelimit"));
			Answer rejected = server.get("/ruled");
			rejected.is(429, "Retry-After: 3600");
			assertThat(rejected.headers().map().keySet()).noneMatch((name) -> name.toLowerCase().contains("ratelimit"));
		}
	}

	private static void assertProblem(TestServer server, String path) {
		server.get(path).is(200);
		assertPlainProblem(server.get(path), path);
	}

	private static void assertPlainProblem(Answer response, String path) {
		assertProblem(response, path);
		assertThat(response.all("Content-Type")).containsExactly("application/problem+json");
	}

	private static void assertHandled(TestServer server, String path, String body) {
		server.get(path).is(200);
		assertHandled(server.get(path, "Accept", BROWSER), body);
	}

	private static void assertHandled(Answer response, String body) {
		assertThat(response.body()).isEqualTo(body);
		response.is(503);
		assertHeaders(response);
	}

	private static void assertChosen(TestServer server, String path, String accept, String contentType, String body) {
		Answer response = server.get(path, "Accept", accept);
		assertHandled(response, body);
		assertThat(response.field("Content-Type")).startsWith(contentType);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Handler.class, CatchAllAdvice.class })
	static class CatchAll {

	}

	@RestControllerAdvice
	static class CatchAllAdvice {

		@ExceptionHandler(RuntimeException.class)
		@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
		String caught() {
			return "caught";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Handler.class, FirstCatchAllAdvice.class, SpecificAdvice.class })
	static class WithAdvice {

	}

	@Order(1)
	@RestControllerAdvice
	static class FirstCatchAllAdvice extends CatchAllAdvice {

	}

	@Order(2)
	@RestControllerAdvice
	static class SpecificAdvice {

		@ExceptionHandler
		ResponseEntity<String> handle(RateLimitExceededException ex) {
			return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body("advice: " + ex.policy().name());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Handler.class, ByMediaTypeAdvice.class })
	static class ByMediaType {

	}

	@RestControllerAdvice
	static class ByMediaTypeAdvice {

		@ExceptionHandler(exception = RateLimitExceededException.class, produces = "text/html")
		@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
		String html() {
			return "html";
		}

		@ExceptionHandler(exception = RateLimitExceededException.class, produces = "application/json")
		@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
		Map<String, String> json() {
			return Map.of("by", "json");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Handler.class, OnlyHtmlAdvice.class })
	static class OnlyHtml {

	}

	@RestControllerAdvice
	static class OnlyHtmlAdvice extends CatchAllAdvice {

		@ExceptionHandler(exception = RateLimitExceededException.class, produces = "text/html")
		@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
		String html() {
			return "html";
		}

	}

	@Import(Handler.class)
	@RestController
	static class OwnHandler {

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/own")
		public String own() {
			return "own";
		}

		@ExceptionHandler(RateLimitExceededException.class)
		@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
		String handle(RateLimitExceededException ex) {
			return "own: " + ex.policy().name();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Handler.class, ViewAdvice.class })
	static class WithView {

		@Bean
		AbstractView sorry() {
			return new AbstractView() {

				@Override
				protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
						HttpServletResponse response) throws Exception {
					response.getWriter().write("view of " + model.get("policy"));
				}

			};
		}

	}

	@ControllerAdvice
	static class ViewAdvice {

		@ExceptionHandler(RateLimitExceededException.class)
		ModelAndView handle(RateLimitExceededException ex) {
			return new ModelAndView("sorry", Map.of("policy", ex.policy().name()), HttpStatus.SERVICE_UNAVAILABLE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	static class WithRejectionHandler {

		@Bean
		RateLimitRejectionHandler sorry() {
			return (request, response, policy, decision) -> {
				response.setStatus(503);
				response.getWriter().write("sorry: " + policy.name() + " " + decision.retryAfter());
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	static class WithRejectionHandlerOfMvc {

		@Bean
		RateLimitRejectionHandler sorry(List<HandlerMapping> mappings) {
			return (request, response, policy, decision) -> {
				response.setStatus(503);
				response.getWriter().write("sorry");
			};
		}

	}

}
