package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitExpression;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A rule may say itself what a request costs, whether it is limited at all, and under
 * which key.
 */
class RuleExpressionsTests {

	@Test
	void aRuleHasACostOfItsOwn() {
		try (TestServer server = start("ratelimit.rules[0].path=/export", "ratelimit.rules[0].policy=api",
				"ratelimit.rules[0].cost=10", "ratelimit.rules[1].path=/page", "ratelimit.rules[1].policy=api")) {
			assertThat(TestServer.remaining(server.get("/export"))).isEqualTo(90);
			assertThat(TestServer.remaining(server.get("/page"))).isEqualTo(89);
		}
	}

	@Test
	void aCostThatAClientSpoiltCountsOneAndIsNoError() {
		try (TestServer server = start("ratelimit.rules[0].path=/page", "ratelimit.rules[0].policy=api",
				"ratelimit.rules[0].cost=T(Long).parseLong(parameter('n'))")) {
			assertThat(TestServer.remaining(server.get("/page?n=30"))).isEqualTo(70);
			assertThat(TestServer.remaining(server.get("/page?n=intruder"))).isEqualTo(69);
			assertThat(TestServer.remaining(server.get("/page?n=0"))).isEqualTo(68);
			assertThat(server.limiter().policy("api").failures(RateLimitExpression.COST)).isEqualTo(2);
		}
	}

	@Test
	void aRuleWhoseConditionDoesNotHoldIsNotThere() {
		try (TestServer server = start("ratelimit.rules[0].path=/page", "ratelimit.rules[0].policy=api",
				"ratelimit.rules[0].condition=header('X-Internal') == null")) {
			assertThat(TestServer.remaining(server.get("/page"))).isEqualTo(99);
			HttpResponse<String> internal = server.get("/page", "X-Internal", "yes");
			assertThat(internal.statusCode()).isEqualTo(200);
			assertThat(internal.headers().map()).doesNotContainKeys("ratelimit", "x-ratelimit-remaining");
			assertThat(TestServer.remaining(server.get("/page"))).isEqualTo(98);
		}
	}

	@Test
	void theKeyOfARuleOverridesThatOfItsPolicyAndSharesItsBudgets() {
		try (TestServer server = start("ratelimit.policies.api.key='global'", "ratelimit.rules[0].path=/page",
				"ratelimit.rules[0].policy=api", "ratelimit.rules[0].key=header('X-Api-Key')",
				"ratelimit.rules[1].path=/export", "ratelimit.rules[1].policy=api",
				"ratelimit.rules[1].key=parameter('customer')", "ratelimit.rules[2].path=/all",
				"ratelimit.rules[2].policy=api")) {
			assertThat(TestServer.remaining(server.get("/page", "X-Api-Key", "acme"))).isEqualTo(99);
			assertThat(TestServer.remaining(server.get("/page", "X-Api-Key", "other"))).isEqualTo(99);
			assertThat(TestServer.remaining(server.get("/export?customer=acme"))).isEqualTo(98);
			assertThat(TestServer.remaining(server.get("/all"))).isEqualTo(99);
			assertThat(TestServer.remaining(server.get("/all"))).isEqualTo(98);
		}
	}

	@Test
	void twoRulesOfOnePolicyAndKeyAreOnePaymentAndTheHigherCost() {
		try (TestServer server = start("ratelimit.rules[0].path=/page", "ratelimit.rules[0].policy=api",
				"ratelimit.rules[0].key=header('X-Api-Key')", "ratelimit.rules[0].cost=2",
				"ratelimit.rules[1].path=/**", "ratelimit.rules[1].policy=api",
				"ratelimit.rules[1].key=parameter('customer')", "ratelimit.rules[1].cost=5")) {
			assertThat(TestServer.remaining(server.get("/page?customer=acme", "X-Api-Key", "acme"))).isEqualTo(95);
		}
	}

	private static TestServer start(String... more) {
		return TestServer.start(Controller.class, properties(more));
	}

	private static String[] properties(String... more) {
		List<String> all = new ArrayList<>(
				List.of("ratelimit.policies.api.limits[0].limit=100", "ratelimit.policies.api.limits[0].window=1d"));
		all.addAll(List.of(more));
		return all.toArray(String[]::new);
	}

	@RestController
	static class Controller {

		@GetMapping({ "/page", "/export", "/all" })
		String page() {
			return "page";
		}

	}

}
