package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;

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
			assertThat(TestServer.remaining(server.get("/export"))).isEqualTo(90);
			assertThat(TestServer.remaining(server.get("/page"))).isEqualTo(89);
		}
	}

	@Test
	void aCostThatAClientSpoiltCountsOneAndIsNoError() {
		try (TestServer server = start("/page -> api; cost=T(Long).parseLong(parameter('n'))")) {
			assertThat(TestServer.remaining(server.get("/page?n=30"))).isEqualTo(70);
			assertThat(TestServer.remaining(server.get("/page?n=intruder"))).isEqualTo(69);
			assertThat(TestServer.remaining(server.get("/page?n=0"))).isEqualTo(68);
			assertThat(server.limiter().policy("api").failures(RateLimitExpression.COST)).isEqualTo(2);
		}
	}

	@Test
	void aRuleWhoseConditionDoesNotHoldIsNotThere() {
		try (TestServer server = start("/page -> api; condition=header('X-Internal') == null")) {
			assertThat(TestServer.remaining(server.get("/page"))).isEqualTo(99);
			HttpResponse<String> internal = server.get("/page", "X-Internal", "yes");
			assertThat(internal.statusCode()).isEqualTo(200);
			assertThat(internal.headers().map()).doesNotContainKeys("ratelimit", "x-ratelimit-remaining");
			assertThat(TestServer.remaining(server.get("/page"))).isEqualTo(98);
		}
	}

	@Test
	void theKeyOfARuleOverridesThatOfItsPolicyAndSharesItsBudgets() {
		try (TestServer server = start("ratelimit.policies.api.key='global'", "/page -> api; key=header('X-Api-Key')",
				"/export -> api; key=parameter('customer')", "/all -> api")) {
			assertThat(TestServer.remaining(server.get("/page", "X-Api-Key", "acme"))).isEqualTo(99);
			assertThat(TestServer.remaining(server.get("/page", "X-Api-Key", "other"))).isEqualTo(99);
			assertThat(TestServer.remaining(server.get("/export?customer=acme"))).isEqualTo(98);
			assertThat(TestServer.remaining(server.get("/all"))).isEqualTo(99);
			assertThat(TestServer.remaining(server.get("/all"))).isEqualTo(98);
		}
	}

	@Test
	void twoRulesOfOnePolicyAndKeyAreOnePaymentAndTheHigherCost() {
		try (TestServer server = start("/page -> api; key=header('X-Api-Key'); cost=2",
				"/** -> api; key=parameter('customer'); cost=5")) {
			assertThat(TestServer.remaining(server.get("/page?customer=acme", "X-Api-Key", "acme"))).isEqualTo(95);
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
