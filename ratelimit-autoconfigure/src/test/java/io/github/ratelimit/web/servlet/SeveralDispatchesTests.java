package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that meet limits at several places, on a real server: forwards, includes,
 * asynchronous dispatches and filters that lead elsewhere. Each policy is paid once, at
 * its highest cost.
 */
class SeveralDispatchesTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Pages.class, "all: 100 per 100h", "ruled: 100 per 100h; key=path", "one: 1 per 1h",
				"whole: 100 per 100h; key='all'", "/inner/{name} -> ruled", "/old -> ruled", "/ruled/** -> whole");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "forward", "include" })
	void theHighestCostIsPaidAndAnotherKeyIsAnotherBudget(String way) {
		assertThat(server.get("/" + way + "/cheap-to-dear").body()).endsWith("dear");
		assertThat(remaining("all", "a")).isEqualTo(93);
		assertThat(server.get("/" + way + "/dear-to-cheap").body()).endsWith("cheap");
		assertThat(remaining("all", "a")).isEqualTo(86);
		assertThat(server.get("/" + way + "/cheap-to-other-key").body()).endsWith("other-key");
		assertThat(remaining("all", "a")).isEqualTo(85);
		assertThat(remaining("all", "b")).isEqualTo(99);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/forward/cheap-to-one", "/include/cheap-to-one" })
	void aRejectionThatIsMetLaterRejectsTheRequestAndWhatTheHandlerHasUsedStaysTaken(String path) {
		server.get(path).is(200);
		Answer rejected = server.get(path);
		assertThat(rejected.is(429, "Retry-After: 3600").body()).contains("\"violated-policies\":[\"one\"]");
		assertThat(rejected.all("RateLimit")).hasSize(1);
		assertThat(remaining("all", "a")).isEqualTo(98);
	}

	@ParameterizedTest
	@CsvSource({ "/forward/free-to-ruled, 100", "/filter-forward, 100", "/filter-rewrite, 100", "/filter-async, 100",
			"/old, 99" })
	void aRuleHoldsForThePathOfAForwardAndOfAFiltersMakingAndForTheOldPathToo(String path, long oldPath) {
		Answer response = server.get(path);
		assertThat(response.body()).isEqualTo("inner");
		assertThat(response.all("RateLimit")).singleElement().asString().startsWith("\"ruled\";r=99;t=356400");
		assertThat(remaining("ruled", "/inner/{name}")).isEqualTo(99);
		assertThat(remaining("ruled", "/old")).isEqualTo(oldPath);
	}

	@ParameterizedTest
	@CsvSource({ "/include/free-to-ruled, before inner", "/forward/to-view," })
	void aRuleDoesNotHoldForThePathOfAnIncludeOrAView(String path, @Nullable String body) {
		Answer response = server.get(path);
		assertThat(response.body()).contains((body != null) ? body : "");
		assertThat(response.all("RateLimit")).isEmpty();
		assertThat(remaining("ruled", "/inner/{name}")).isEqualTo(100);
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			/ruled/target,    200, target
			/ruled/forward,   200, target
			/ruled/include,   200, before target
			/ruled/callable,  200, later
			/ruled/missing/x, 404, Not Found
			/ruled/fail,      500, Internal Server Error
			/ruled/late-fail, 500, Internal Server Error
			""")
	void aRuleCountsOnceWhateverTheDispatches(String path, int status, String body) {
		assertThat(server.get(path).is(status, "RateLimit: \"whole\";r=99;t=356400").body()).contains(body);
		assertThat(remaining("whole", "all")).isEqualTo(99);
	}

	@ParameterizedTest
	@CsvSource({ "/including-unlimited/cheap, before cheap", "/including-unlimited/one, before one",
			"/including-unlimited/one, nothing" })
	void scriptsOfOtherOriginsReadWhatAnIncludeWasTold(String path, String body) {
		if (body.equals("nothing")) {
			server.get(path).is(200);
		}
		Answer response = server.get(path, "Origin", "https://shop.example");
		assertThat(response.is(200).body()).isEqualTo(body);
		assertThat(response.all("RateLimit")).hasSize(1);
		assertThat(response.all("Access-Control-Expose-Headers")).singleElement().asString().contains("RateLimit");
	}

	@ParameterizedTest
	@ValueSource(strings = { "forward", "include", "async" })
	void aFormThatNobodyHasReadIsNotTakenForReadWhereADispatchHasAQueryOfItsOwn(String way) {
		try (TestServer server = TestServer.start(Forms.class,
				"login: 1 per 1h; key=parameter('username') ?: 'no name'",
				"spring.mvc.formcontent.filter.enabled=false")) {
			assertThat(sendForm(server, way, 1).body()).isEqualTo("let in");
			assertThat(sendForm(server, way, 2).body()).doesNotContain("let in");
		}
	}

	private static Answer sendForm(TestServer server, String way, int name) {
		return server.send("PUT", "/form/" + way + "?username=" + name, "username=ann", "Content-Type",
				"application/x-www-form-urlencoded");
	}

	private long remaining(String policy, String key) {
		return server.limiter().peek(policy, key).remaining();
	}

	@Controller
	@Import({ Targets.class, Rewriting.class })
	static class Pages {

		@RateLimited(policy = "all", key = "'a'")
		@GetMapping({ "/forward/cheap-to-{target}" })
		String cheap(@PathVariable String target) {
			return "forward:/target/" + target;
		}

		@RateLimited(policy = "all", key = "'a'", cost = "7")
		@GetMapping("/forward/dear-to-{target}")
		String dear(@PathVariable String target) {
			return "forward:/target/" + target;
		}

		@GetMapping({ "/forward/free-to-ruled", "/ruled/forward", "/forward/to-view" })
		String free(HttpServletRequest request) {
			return switch (request.getRequestURI()) {
				case "/ruled/forward" -> "forward:/ruled/target";
				case "/forward/to-view" -> "forward:/WEB-INF/inner/page";
				default -> "forward:/inner/free";
			};
		}

		@RateLimited(policy = "all", key = "'a'")
		@GetMapping("/include/cheap-to-{target}")
		@ResponseBody
		void includeCheap(@PathVariable String target, HttpServletRequest request, HttpServletResponse response)
				throws Exception {
			include("/target/" + target, request, response);
		}

		@RateLimited(policy = "all", key = "'a'", cost = "7")
		@GetMapping("/include/dear-to-{target}")
		@ResponseBody
		void includeDear(@PathVariable String target, HttpServletRequest request, HttpServletResponse response)
				throws Exception {
			include("/target/" + target, request, response);
		}

		@GetMapping({ "/include/free-to-ruled", "/ruled/include" })
		@ResponseBody
		void includeFree(HttpServletRequest request, HttpServletResponse response) throws Exception {
			include(request.getRequestURI().startsWith("/ruled") ? "/ruled/target" : "/inner/free", request, response);
		}

		@CrossOrigin("*")
		@GetMapping("/including-unlimited/{target}")
		@ResponseBody
		void includeLimited(@PathVariable String target, HttpServletRequest request, HttpServletResponse response)
				throws Exception {
			try {
				include("/target/" + target, request, response);
			}
			catch (RateLimitExceededException ex) {
				response.getOutputStream().print("nothing");
			}
			catch (ServletException ex) {
				assertThat(ex).hasRootCauseInstanceOf(RateLimitExceededException.class);
				response.getOutputStream().print("nothing");
			}
		}

		private static void include(String path, HttpServletRequest request, HttpServletResponse response)
				throws Exception {
			response.getOutputStream().print("before ");
			request.getRequestDispatcher(path).include(request, response);
		}

	}

	@Controller
	static class Forms {

		@PutMapping("/form/forward")
		String forward() {
			return "forward:/form?step=2";
		}

		@PutMapping("/form/include")
		@ResponseBody
		void include(HttpServletRequest request, HttpServletResponse response) throws Exception {
			request.getRequestDispatcher("/form?step=2").include(request, response);
		}

		@PutMapping("/form/async")
		@ResponseBody
		void dispatch(HttpServletRequest request) {
			request.startAsync().dispatch("/form?step=2");
		}

		@RateLimited("login")
		@PutMapping("/form")
		@ResponseBody
		String form() {
			return "let in";
		}

	}

	@RestController
	static class Targets {

		@RateLimited(policy = "all", key = "'a'")
		@GetMapping("/target/cheap")
		String cheap() {
			return "cheap";
		}

		@RateLimited(policy = "all", key = "'a'", cost = "7")
		@GetMapping("/target/dear")
		String dear() {
			return "dear";
		}

		@RateLimited(policy = "all", key = "'b'")
		@GetMapping("/target/other-key")
		String other() {
			return "other-key";
		}

		@RateLimited(policy = "one", key = "'c'")
		@GetMapping("/target/one")
		String one() {
			return "one";
		}

		@GetMapping("/inner/{name}")
		String inner() {
			return "inner";
		}

		@GetMapping("/ruled/{way}")
		Object ruled(@PathVariable String way) {
			return switch (way) {
				case "target" -> "target";
				case "callable" -> (Callable<String>) () -> "later";
				case "late-fail" -> (Callable<?>) () -> ruled("fail");
				default -> throw new IllegalStateException("expected by the test");
			};
		}

	}

	@Component
	static class Rewriting extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			switch (request.getRequestURI()) {
				case "/filter-forward" -> request.getRequestDispatcher("/inner/forward").forward(request, response);
				case "/filter-async" -> request.startAsync(request, response).dispatch("/inner/async");
				case "/filter-rewrite", "/old" -> chain.doFilter(rewritten(request), response);
				default -> chain.doFilter(request, response);
			}
		}

		private static HttpServletRequest rewritten(HttpServletRequest request) {
			return new HttpServletRequestWrapper(request) {

				@Override
				public String getRequestURI() {
					return "/inner/rewritten";
				}

				@Override
				public String getServletPath() {
					return "/inner/rewritten";
				}

			};
		}

	}

}
