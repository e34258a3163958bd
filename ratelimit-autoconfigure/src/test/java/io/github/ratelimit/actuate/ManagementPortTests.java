package io.github.ratelimit.actuate;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * The actuator on a port of its own, where nothing is limited.
 */
@SpringBootTest(classes = ActuatorApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "server.address=127.0.0.1", "management.server.address=127.0.0.1", "management.server.port=0",
				"management.endpoints.web.exposure.include=ratelimits", "ratelimit.policies.all.limits[0].limit=1",
				"ratelimit.policies.all.limits[0].window=1m", "ratelimit.policies.queue.limits[0].limit=1",
				"ratelimit.policies.queue.limits[0].window=1m", "ratelimit.rules[0].path=/**",
				"ratelimit.rules[0].policy=all" })
class ManagementPortTests {

	private RestTestClient application;

	private RestTestClient management;

	@BeforeEach
	void clients(@LocalServerPort int port, @LocalManagementPort int managementPort) {
		this.application = client(port);
		this.management = client(managementPort);
	}

	@Test
	void endpointAnswersThereAndRulesForTheApplicationDoNotApplyToIt() {
		Answers.check(this.application.get().uri("/login").exchange(), 200);
		Answers.check(this.application.get().uri("/login").exchange(), 429);
		for (int i = 0; i < 3; i++) {
			Answers.check(this.management.get().uri("/actuator/ratelimits/all?key=127.0.0.1").exchange(), 200,
					"RateLimit", null, "$.standing.remaining", 0);
		}
	}

	@Test
	void whoMayOnlyReadCannotReset() {
		Answers.check(this.management.delete().uri("/actuator/ratelimits/all?key=127.0.0.1").exchange(), 405);
	}

	private static RestTestClient client(int port) {
		return RestTestClient.bindToServer().baseUrl("http://127.0.0.1:" + port).build();
	}

}
