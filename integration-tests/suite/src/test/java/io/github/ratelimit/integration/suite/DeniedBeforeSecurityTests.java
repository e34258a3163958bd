package io.github.ratelimit.integration.suite;

import java.util.List;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A denied address is answered before Spring Security is, on the application's port and
 * on that of the actuator, whether it is configured or denied while the server runs.
 */
@Tag("stack")
class DeniedBeforeSecurityTests {

	private static final String[] PROPERTIES = { "ratelimit.client-address.trusted-proxies=127.0.0.0/8,::1",
			"management.endpoints.web.exposure.include=info" };

	private static void assertDenies(TestServer server) {
		for (TestServer port : List.of(server, server.management())) {
			for (String path : List.of("/free", "/actuator/info", "/login")) {
				assertThat(port.get(path, "X-Forwarded-For", "198.51.100.9").is(403).body())
					.contains("Requests of this client are denied");
				assertThat(port.get(path, "X-Forwarded-For", "192.0.2.9").body())
					.doesNotContain("Requests of this client are denied");
			}
			assertThat(port.getAs("user", "/free", "X-Forwarded-For", "198.51.100.9").is(403).body())
				.contains("Requests of this client are denied");
		}
	}

	@Test
	void whatIsConfiguredIsDenied() {
		try (TestServer server = TestServer.startDivided(List.of(Handlers.class),
				TestServer.with(PROPERTIES, "ratelimit.deny.addresses=198.51.100.0/24"))) {
			assertDenies(server);
		}
	}

	@Test
	void whatIsDeniedWhileTheServerRunsIs() {
		try (TestServer server = TestServer.startDivided(List.of(Handlers.class), PROPERTIES)) {
			Target target = Target.ofAddress(Kind.DENY, "198.51.100.0/24");
			server.limiter().interventions().put(new RateLimitIntervention(target, null, null, null));
			assertDenies(server);
		}
	}

}
