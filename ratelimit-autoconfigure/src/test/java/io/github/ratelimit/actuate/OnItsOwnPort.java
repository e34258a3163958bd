package io.github.ratelimit.actuate;

import io.github.ratelimit.RateLimiterRegistry;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
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
				"ratelimit.policies.queue.limits[0].window=1m", "ratelimit.rules[0].path=/login",
				"ratelimit.rules[0].policy=login" })
abstract class OnItsOwnPort {

	static final String OTHER_ORIGIN = "https://ops.example";

	static final String POLICY = "/manage/limits/login";

	static final String SIMULATE = "/manage/limits/simulate";

	static final String SHADOW = "{\"mode\": \"shadow\"}";

	@Autowired
	RateLimiterRegistry registry;

	@LocalServerPort
	private int applicationsPort;

	@LocalManagementPort
	private int port;

	RestTestClient.ResponseSpec application(String path) {
		return client(this.applicationsPort).get().uri(path).exchange();
	}

	private static RestTestClient client(int port) {
		return RestTestClient.bindToServer().baseUrl("http://127.0.0.1:" + port).build();
	}

	RestTestClient.ResponseSpec send(HttpMethod method, String path) {
		return client(this.port).method(method).uri(path).exchange();
	}

	RestTestClient.ResponseSpec post(String path, String body) {
		return client(this.port).post().uri(path).contentType(MediaType.APPLICATION_JSON).body(body).exchange();
	}

	RestTestClient.ResponseSpec simulate() {
		return post(SIMULATE, "{\"limits\": [{\"limit\": 1, \"window\": \"1m\"}], \"gaps\": [0, 0]}");
	}

	RestTestClient.ResponseSpec getFromOtherOrigin(String path) {
		return client(this.port).get().uri(path).header(HttpHeaders.ORIGIN, OTHER_ORIGIN).exchange();
	}

	RestTestClient.ResponseSpec preflight(String path, String origin) {
		return client(this.port).options()
			.uri(path)
			.header(HttpHeaders.ORIGIN, origin)
			.header(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD, "POST")
			.exchange();
	}

}
