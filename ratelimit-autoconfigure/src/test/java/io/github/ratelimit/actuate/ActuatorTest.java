package io.github.ratelimit.actuate;

import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * A test of {@link ActuatorApplication} on a real server.
 */
@SpringBootTest(classes = ActuatorApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT, properties = {
		"server.address=127.0.0.1", "management.endpoints.web.exposure.include=ratelimits",
		"management.endpoint.ratelimits.access=unrestricted", "ratelimit.policies.login.key=clientAddress",
		"ratelimit.policies.login.limits[0].algorithm=sliding-window-log", "ratelimit.policies.login.limits[0].limit=2",
		"ratelimit.policies.login.limits[0].window=1m", "ratelimit.policies.login.limits[1].limit=10",
		"ratelimit.policies.login.limits[1].window=1h", "ratelimit.policies.login.limits[1].burst=5",
		"ratelimit.policies.queue.limits[0].algorithm=leaky-bucket", "ratelimit.policies.queue.limits[0].limit=1000",
		"ratelimit.policies.queue.limits[0].window=1s", "ratelimit.policies.queue.limits[0].burst=1000",
		"ratelimit.rules[0].path=/login", "ratelimit.rules[0].methods=GET", "ratelimit.rules[0].policy=login" })
@AutoConfigureRestTestClient
abstract class ActuatorTest {

	private static final String ENDPOINT = "/actuator/ratelimits";

	@Autowired
	RestTestClient client;

	@Autowired
	RateLimiterRegistry registry;

	@Autowired
	ManualClock clock;

	@AfterEach
	void takeOverridesBack() {
		RateLimitOverrides overrides = this.registry.overrides();
		overrides.inForce().forEach((each) -> overrides.remove(each.override().target()));
	}

	/* Of the application. */
	RestTestClient.ResponseSpec ask(String path) {
		return this.client.get().uri(path).exchange();
	}

	RestTestClient.ResponseSpec get(String path, Object... variables) {
		return this.client.get().uri(ENDPOINT + path, variables).exchange();
	}

	String body(String path) {
		return get(path).expectStatus().isOk().returnResult(String.class).getResponseBody();
	}

	RestTestClient.ResponseSpec delete(String path, Object... variables) {
		return this.client.delete().uri(ENDPOINT + path, variables).exchange();
	}

	RestTestClient.ResponseSpec post(String path, Object body) {
		return post(path, body, MediaType.APPLICATION_JSON);
	}

	RestTestClient.ResponseSpec post(String path, Object body, MediaType type) {
		return this.client.post().uri(ENDPOINT + path).contentType(type).body(body).exchange();
	}

}
