package io.github.ratelimit.actuate;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.HttpMethod;
import org.springframework.test.context.TestPropertySource;

import static io.github.ratelimit.actuate.Answers.check;

/**
 * What is said of keys while Redis, which has their state, is down.
 */
@TestPropertySource(properties = { "ratelimit.store=redis", "spring.data.redis.port=1",
		"ratelimit.policies.login.on-failure=local", "ratelimit.policies.queue.on-failure=allow",
		"ratelimit.policies.closed.limits[0].limit=2", "ratelimit.policies.closed.limits[0].window=1m",
		"ratelimit.policies.closed.on-failure=reject", "ratelimit.policies.closed.ban.after=3",
		"ratelimit.policies.closed.ban.within=1m", "ratelimit.policies.closed.ban.for=1h" })
class StoreOutageTests extends ActuatorTest {

	@ParameterizedTest
	@CsvSource({ "login, GET", "login, DELETE", "queue, GET", "queue, DELETE", "closed, GET", "closed, DELETE" })
	void neitherALookNorAResetIsAnErrorOfTheApplication(String policy, String method) {
		this.registry.decide(policy, "203.0.113.7");
		check(this.client.method(HttpMethod.valueOf(method))
			.uri("/actuator/ratelimits/" + policy + "?key=203.0.113.7")
			.exchange(), 503, "Content-Type", "application/problem+json", "Retry-After", "1", "$.status", 503);
	}

}
