package io.github.ratelimit.actuate;

import io.github.ratelimit.RateLimiterRegistry;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * Tests of the endpoint where the actuator has a port and paths of its own, and where
 * pages of one other origin may ask it.
 */
@SpringBootTest(classes = ActuatorApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "server.address=127.0.0.1", "management.server.address=127.0.0.1", "management.server.port=0",
				"management.endpoints.web.exposure.include=ratelimits,info",
				"management.endpoints.web.base-path=/manage", "management.endpoints.web.path-mapping.ratelimits=limits",
				"management.endpoints.web.cors.allowed-origins=" + OnItsOwnPort.OTHER_ORIGIN,
				"management.endpoints.web.cors.allowed-methods=GET,POST", "ratelimit.policies.login.limits[0].limit=1",
				"ratelimit.policies.login.limits[0].window=1m", "ratelimit.policies.queue.limits[0].limit=1",
				"ratelimit.policies.queue.limits[0].window=1m" })
abstract class OnItsOwnPort {

	static final String OTHER_ORIGIN = "https://ops.example";

	@Autowired
	RateLimiterRegistry registry;

	@LocalManagementPort
	private int port;

	RestTestClient client() {
		return RestTestClient.bindToServer().baseUrl("http://127.0.0.1:" + this.port).build();
	}

	RestTestClient.ResponseSpec post(String path, String body) {
		return client().post().uri(path).contentType(MediaType.APPLICATION_JSON).body(body).exchange();
	}

	void assertOnlyTheOtherOriginMayPost(String path) {
		Answers.check(preflight(path, OTHER_ORIGIN), 200, HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, OTHER_ORIGIN);
		Answers.check(preflight(path, "https://evil.example"), 403);
	}

	private RestTestClient.ResponseSpec preflight(String path, String origin) {
		return client().options()
			.uri(path)
			.header(HttpHeaders.ORIGIN, origin)
			.header(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD, "POST")
			.exchange();
	}

}
