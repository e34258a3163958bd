package io.github.ratelimit.actuate;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * The endpoint shows what was found until this moment.
 */
@ActuatorTest
@TestPropertySource(
		properties = { "ratelimit.policies.unused.limits[0].limit=1", "ratelimit.policies.unused.limits[0].window=1m" })
class RateLimitsEndpointFindingsTests {

	private static final String FOUND = """
			{"findings": [
			  {"code": "RL002", "level": "warning", "policy": "unused",
			   "message": "No rule and no annotation applies the policy 'unused'.",
			   "action": "Apply the policy by a rule or an annotation, or remove it if no code asks it."},
			  {"code": "RL019", "level": "warning", "policy": "login"}]}
			""";

	@Autowired
	private RestTestClient client;

	@Autowired
	private RateLimiterRegistry registry;

	@Test
	void whatWasFoundIsShown() {
		StoreRateLimiter.of(this.registry.policy("login")).countFailure(RateLimitExpression.KEY);
		this.client.get()
			.uri("/actuator/ratelimits")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.json(FOUND)
			.jsonPath("$.findings[0].link")
			.isEqualTo(FindingCode.UNUSED_POLICY.link());
	}

}
