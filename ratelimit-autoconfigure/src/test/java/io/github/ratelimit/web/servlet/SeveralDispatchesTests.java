package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.Callable;

import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a request meets on a later dispatch, or under a path that a filter gave it, is
 * decided there: only what is of the same policy and key, and costs no more, is covered
 * by what was decided before.
 */
class SeveralDispatchesTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Pages.class, "all: 100 per 100h", "ruled: 100 per 100h; key=path", "one: 1 per 1h",
				"whole: 100 per 100h", "both: 100 per 100h; key='one'", "once: 1 per 1h", "/inner/{name} -> ruled",
				"/old -> ruled", "/ruled/** -> whole", "/both/** -> both", "/twice/** -> once", "/twice/a -> once");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/forward/cheap-to-dear", "/include/cheap-to-dear" })
	void aHigherCostThatIsMetLaterIsPaid(String path) {
		assertThat(server.get(path).body()).endsWith("dear");
		assertThat(remaining("all", "a")).isEqualTo(93);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/forward/dear-to-cheap", "/include/dear-to-cheap" })
	void aLowerCostThatIsMetLaterIsCovered(String path) {
		assertThat(server.get(path).body()).endsWith("cheap");
		assertThat(remaining("all", "a")).isEqualTo(93);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/forward/cheap-to-other-key", "/include/cheap-to-other-key" })
	void anotherKeyThatIsMetLaterIsAnotherBudget(String path) {
		assertThat(server.get(path).body()).endsWith("other");
		assertThat(remaining("all", "a")).isEqualTo(99);
		assertThat(remaining("all", "b")).isEqualTo(99);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/forward/cheap-to-one", "/include/cheap-to-one" })
	void aRejectionThatIsMetLaterRejectsTheRequestAndTakesNothing(String path) {
		server.get(path).is(200);
		Answer rejected = server.get(path);
		rejected.is(429);
		assertThat(rejected.body()).contains("\"violated-policies\":[\"one\"]");
		assertThat(rejected.field("Retry-After")).isEqualTo("3600");
		assertThat(rejected.all("RateLimit")).hasSize(1);
		assertThat(remaining("all", "a")).isEqualTo(99);
	}

	@ParameterizedTest
	@CsvSource({ "/forward/free-to-ruled, /inner/{name}", "/filter-forward, /inner/{name}",
			"/filter-rewrite, /inner/{name}", "/filter-async, /inner/{name}" })
	void aRuleHoldsForThePathOfAForwardAndOfAFiltersMaking(String path, String key) {
		Answer response = server.get(path);
		assertThat(response.body()).isEqualTo("inner");
		assertThat(remaining("ruled", key)).isEqualTo(99);
		assertThat(response.all("RateLimit")).containsExactly("\"ruled\";r=99;t=356400");
	}

	@Test
	void aRuleForTheOldPathAndOneForTheNewAreBothMet() {
		assertThat(server.get("/old").body()).isEqualTo("inner");
		assertThat(remaining("ruled", "/old")).isEqualTo(99);
		assertThat(remaining("ruled", "/inner/{name}")).isEqualTo(99);
	}

	@Test
	void aRuleDoesNotHoldForThePathOfAnInclude() {
		Answer response = server.get("/include/free-to-ruled");
		assertThat(response.body()).isEqualTo("before inner");
		assertThat(remaining("ruled", "/inner/{name}")).isEqualTo(100);
		assertThat(response.all("RateLimit")).isEmpty();
	}

	@Test
	void aForwardToAViewIsNoRequestOfItsOwn() {
		server.get("/forward/to-view");
		assertThat(remaining("ruled", "/inner/{name}")).isEqualTo(100);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			/ruled/target,    200, target
			/ruled/forward,   200, target
			/ruled/include,   200, before target
			/ruled/callable,  200, later
			/ruled/missing,   404, -
			/ruled/fail,      500, -
			/ruled/late-fail, 500, -
			""")
	void aRuleCountsOnceWhateverTheDispatches(String path, int status, @Nullable String body) {
		Answer response = server.get(path);
		response.is(status);
		if (body != null) {
			assertThat(response.body()).isEqualTo(body);
		}
		assertThat(response.all("RateLimit")).containsExactly("\"whole\";r=99;t=356400");
		assertThat(remaining("whole", "127.0.0.1")).isEqualTo(99);
	}

	@ParameterizedTest
	@CsvSource({ "/both/annotated, 99", "/both/argument?name=a, 99", "/both/costly, 95" })
	void aRuleAndAnAnnotationOfOnePolicyCountOnceAtTheHigherCost(String path, long remaining) {
		Answer response = server.get(path);
		response.is(200);
		assertThat(response.field("RateLimit")).contains("\"both\";r=" + remaining + ";t=" + 3600 * remaining);
		assertThat(remaining("both", "one")).isEqualTo(remaining);
	}

	@Test
	void anAnnotationWithAnotherKeyThanTheRulesIsAnotherBudget() {
		server.get("/both/other-key");
		assertThat(remaining("both", "one")).isEqualTo(99);
		assertThat(remaining("both", "two")).isEqualTo(99);
	}

	@Test
	void twoRulesOfOnePolicyCountOnce() {
		assertThat(server.get("/twice/a").status()).isNotEqualTo(429);
		server.get("/twice/a").is(429);
	}

	private long remaining(String policy, String key) {
		return server.limiter().peek(policy, key).remaining();
	}

	@Controller
	@Import({ Targets.class, Rewriting.class })
	static class Pages {

		@RateLimited(policy = "all", key = "'a'")
		@GetMapping({ "/forward/cheap-to-{target}" })
		public String cheap(String target, HttpServletRequest request) {
			return "forward:/target/" + after(request, "cheap-to-");
		}

		@RateLimited(policy = "all", key = "'a'", cost = "7")
		@GetMapping("/forward/dear-to-{target}")
		public String dear(HttpServletRequest request) {
			return "forward:/target/" + after(request, "dear-to-");
		}

		@GetMapping("/forward/free-to-ruled")
		public String free() {
			return "forward:/inner/free";
		}

		@GetMapping("/forward/to-view")
		public String toView() {
			return "forward:/WEB-INF/inner/page";
		}

		@RateLimited(policy = "all", key = "'a'")
		@GetMapping("/include/cheap-to-{target}")
		@ResponseBody
		public void includeCheap(HttpServletRequest request, HttpServletResponse response) throws Exception {
			include("/target/" + after(request, "cheap-to-"), request, response);
		}

		@RateLimited(policy = "all", key = "'a'", cost = "7")
		@GetMapping("/include/dear-to-{target}")
		@ResponseBody
		public void includeDear(HttpServletRequest request, HttpServletResponse response) throws Exception {
			include("/target/" + after(request, "dear-to-"), request, response);
		}

		@GetMapping("/include/free-to-ruled")
		@ResponseBody
		public void includeFree(HttpServletRequest request, HttpServletResponse response) throws Exception {
			include("/inner/free", request, response);
		}

		@GetMapping("/ruled/forward")
		String forward() {
			return "forward:/ruled/target";
		}

		@GetMapping("/ruled/include")
		@ResponseBody
		void include(HttpServletRequest request, HttpServletResponse response) throws Exception {
			include("/ruled/target", request, response);
		}

		private static void include(String path, HttpServletRequest request, HttpServletResponse response)
				throws Exception {
			response.getOutputStream().print("before ");
			request.getRequestDispatcher(path).include(request, response);
		}

		private static String after(HttpServletRequest request, String prefix) {
			String path = request.getRequestURI();
			return path.substring(path.indexOf(prefix) + prefix.length());
		}

	}

	@RestController
	static class Targets {

		@RateLimited(policy = "all", key = "'a'")
		@GetMapping("/target/cheap")
		public String cheap() {
			return "cheap";
		}

		@RateLimited(policy = "all", key = "'a'", cost = "7")
		@GetMapping("/target/dear")
		public String dear() {
			return "dear";
		}

		@RateLimited(policy = "all", key = "'b'")
		@GetMapping("/target/other-key")
		public String other() {
			return "other";
		}

		@RateLimited(policy = "one", key = "'c'")
		@GetMapping("/target/one")
		public String one() {
			return "one";
		}

		@GetMapping("/inner/{name}")
		public String inner() {
			return "inner";
		}

		@GetMapping("/ruled/target")
		String target() {
			return "target";
		}

		@GetMapping("/ruled/callable")
		Callable<String> callable() {
			return () -> "later";
		}

		@GetMapping("/ruled/fail")
		String fail() {
			throw new IllegalStateException("expected by the test");
		}

		@GetMapping("/ruled/late-fail")
		Callable<String> lateFail() {
			return this::fail;
		}

		@RateLimited("both")
		@GetMapping("/both/annotated")
		public String annotated() {
			return "annotated";
		}

		@RateLimited("both")
		@RateLimited(limit = 10, window = "1h", key = "#name")
		@GetMapping("/both/argument")
		public String argument(String name) {
			return name;
		}

		@RateLimited(policy = "both", cost = "5")
		@GetMapping("/both/costly")
		public String costly() {
			return "costly";
		}

		@RateLimited(policy = "both", key = "'two'")
		@GetMapping("/both/other-key")
		public String otherKey() {
			return "other";
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
