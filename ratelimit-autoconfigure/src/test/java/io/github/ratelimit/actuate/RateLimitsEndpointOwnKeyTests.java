package io.github.ratelimit.actuate;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.junit.jupiter.api.Test;

import org.springframework.test.context.TestPropertySource;

import static io.github.ratelimit.actuate.Answers.check;

/**
 * A rule can have a key of its own in place of its policy's, and what was found until
 * this moment is shown.
 */
@TestPropertySource(properties = { "ratelimit.rules[0].key=parameter('user')", "ratelimit.rules[0].cost=1",
		"ratelimit.policies.unused.limits[0].limit=1", "ratelimit.policies.unused.limits[0].window=1m" })
class RateLimitsEndpointOwnKeyTests extends ActuatorTest {

	@Test
	void keyOfTheRuleIsShownBesideThePolicysAndFoundAsItIs() {
		check(get(""), 200, "$.policies.login.key", "clientAddress", "$.policies.login.appliedTo",
				List.of(Map.of("place", "rule GET /login", "key", "parameter('user')", "cost", "1")));
		check(ask("/login?user=ann"), 200);
		check(get("/login?key=ann"), 200, "$.key", "ann", "$.standing.remaining", 1);
	}

	@Test
	void clientWhoseOwnKeyIsEmptyIsFoundByItsAddress() {
		check(ask("/login"), 200);
		check(get("/login?key=address:127.0.0.1"), 200, "$.key", "address:127.0.0.1", "$.standing.remaining", 1);
	}

	@Test
	void whatWasFoundIsShown() {
		StoreRateLimiter.of(this.registry.policy("login")).countFailure(RateLimitExpression.KEY);
		get("").expectBody().json("""
				{"findings": [
				  {"code": "RL002", "level": "warning", "policy": "unused",
				   "message": "No rule and no annotation applies the policy 'unused'.",
				   "action": "Apply the policy by a rule or an annotation, or remove it if no code asks it."},
				  {"code": "RL019", "level": "warning", "policy": "login"}]}
				""").jsonPath("$.findings[0].link").isEqualTo(FindingCode.UNUSED_POLICY.link());
	}

}
