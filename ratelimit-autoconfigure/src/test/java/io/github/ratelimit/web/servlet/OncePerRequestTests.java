package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request counts once for a policy and key, however often it is dispatched and from
 * however many places the policy is named.
 */
class OncePerRequestTests {

	@AutoClose
	private static TestServer server;

	private Map<String, Long> allowedBefore;

	@BeforeAll
	static void start() {
		server = TestServer.start(Rest.class, "ratelimit.policies.all.limits[0].limit=100",
				"ratelimit.policies.all.limits[0].window=100h", "ratelimit.policies.both.key='one'",
				"ratelimit.policies.both.limits[0].limit=100", "ratelimit.policies.both.limits[0].window=100h",
				"ratelimit.policies.once.limits[0].limit=1", "ratelimit.policies.once.limits[0].window=1h",
				"ratelimit.rules[0].path=/ruled/**", "ratelimit.rules[0].policy=all",
				"ratelimit.rules[1].path=/both/**", "ratelimit.rules[1].policy=both",
				"ratelimit.rules[2].path=/twice/**", "ratelimit.rules[2].policy=once",
				"ratelimit.rules[3].path=/twice/a", "ratelimit.rules[3].policy=once");
	}

	@BeforeEach
	void forget() {
		server.forget();
		this.allowedBefore = Map.of("all", count("all"), "both", count("both"), "once", count("once"));
	}

	@ParameterizedTest
	@CsvSource({ "/ruled/target, target", "/ruled/forward, target", "/ruled/include, before target",
			"/ruled/callable, later" })
	void aRuleCountsOnceWhateverTheDispatches(String path, String body) {
		HttpResponse<String> response = server.get(path);
		assertThat(response.body()).isEqualTo(body);
		assertThat(response.headers().allValues("RateLimit")).containsExactly("\"all\";r=99;t=356400");
		assertThat(allowed("all")).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "/ruled/missing, 404", "/ruled/fail, 500", "/ruled/late-fail, 500" })
	void aRuleDoesNotCountTheErrorDispatch(String path, int status) {
		HttpResponse<String> response = server.get(path);
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.headers().allValues("RateLimit")).containsExactly("\"all\";r=99;t=356400");
		assertThat(allowed("all")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/both/annotated", "/both/argument?name=a" })
	void aRuleAndAnAnnotationOfOnePolicyCountOnce(String path) {
		HttpResponse<String> response = server.get(path);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.headers().firstValue("RateLimit").orElseThrow()).contains("\"both\";r=99;t=356400");
		assertThat(allowed("both")).isEqualTo(1);
	}

	@Test
	void anAnnotationThatCostsMoreThanTheRuleTookPaysTheRest() {
		HttpResponse<String> response = server.get("/both/costly");
		assertThat(response.headers().allValues("RateLimit")).containsExactly("\"both\";r=95;t=342000");
	}

	@Test
	void anAnnotationWithAnotherKeyThanTheRulesIsAnotherBudget() {
		server.get("/both/other-key");
		assertThat(server.limiter().peek("both", "one").remaining()).isEqualTo(99);
		assertThat(server.limiter().peek("both", "two").remaining()).isEqualTo(99);
	}

	@Test
	void twoRulesOfOnePolicyCountOnce() {
		assertThat(server.get("/twice/a").statusCode()).isNotEqualTo(429);
		assertThat(server.get("/twice/a").statusCode()).isEqualTo(429);
		assertThat(allowed("once")).isEqualTo(1);
	}

	private long allowed(String policy) {
		return count(policy) - this.allowedBefore.get(policy);
	}

	private static long count(String policy) {
		return server.limiter().policy(policy).count(RateLimitOutcome.ALLOWED);
	}

	@RestController
	@Import(Pages.class)
	static class Rest {

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

	@Controller
	static class Pages {

		@GetMapping("/ruled/forward")
		String forward() {
			return "forward:/ruled/target";
		}

		@GetMapping("/ruled/include")
		@ResponseBody
		void include(HttpServletRequest request, HttpServletResponse response) throws Exception {
			response.getOutputStream().print("before ");
			request.getRequestDispatcher("/ruled/target").include(request, response);
		}

	}

}
