package io.github.ratelimit.web.servlet;

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
		try (TestServer server = start("/export -> api; cost=10", "/page -> api")) {
			assertThat(server.get("/export").remaining()).isEqualTo(90);
			assertThat(server.get("/page").remaining()).isEqualTo(89);
		}
	}

	@Test
	void aCostThatAClientSpoiltCountsOneAndIsNoError() {
		try (TestServer server = start("/page -> api; cost=T(Long).parseLong(parameter('n'))")) {
			assertThat(server.get("/page?n=30").remaining()).isEqualTo(70);
			assertThat(server.get("/page?n=intruder").remaining()).isEqualTo(69);
			assertThat(server.get("/page?n=0").remaining()).isEqualTo(68);
			assertThat(server.limiter().policy("api").failures(RateLimitExpression.COST)).isEqualTo(2);
		}
	}

	@Test
	void aRuleWhoseConditionDoesNotHoldIsNotThere() {
		try (TestServer server = start("/page -> api; condition=header('X-Internal') == null")) {
			assertThat(server.get("/page").remaining()).isEqualTo(99);
			Answer internal = server.get("/page", "X-Internal", "yes");
			internal.is(200);
			assertThat(internal.headers().map()).doesNotContainKeys("ratelimit", "x-ratelimit-remaining");
			assertThat(server.get("/page").remaining()).isEqualTo(98);
		}
	}

	@Test
	void theKeyOfARuleOverridesThatOfItsPolicyAndSharesItsBudgets() {
		try (TestServer server = start("ratelimit.policies.api.key='global'", "/page -> api; key=header('X-Api-Key')",
				"/export -> api; key=parameter('customer')", "/all -> api")) {
			assertThat(server.get("/page", "X-Api-Key", "acme").remaining()).isEqualTo(99);
			assertThat(server.get("/page", "X-Api-Key", "other").remaining()).isEqualTo(99);
			assertThat(server.get("/export?customer=acme").remaining()).isEqualTo(98);
			assertThat(server.get("/all").remaining()).isEqualTo(99);
			assertThat(server.get("/all").remaining()).isEqualTo(98);
		}
	}

	@Test
	void twoRulesOfOnePolicyAndKeyAreOnePaymentAndTheHigherCost() {
		try (TestServer server = start("/page -> api; key=header('X-Api-Key'); cost=2",
				"/** -> api; key=parameter('customer'); cost=5")) {
			assertThat(server.get("/page?customer=acme", "X-Api-Key", "acme").remaining()).isEqualTo(95);
		}
	}

	private static TestServer start(String... more) {
		return TestServer.start(Controller.class, TestServer.with(new String[] { "api: 100 per 1d" }, more));
	}

	@RestController
	static class Controller {

		@GetMapping({ "/page", "/export", "/all" })
		String page() {
			return "page";
		}

	}

}
