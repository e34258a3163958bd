package io.github.ratelimit.integration.suite;

import java.util.List;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which filters of the application see a request of a denied address.
 */
@Tag("stack")
class DeniedBeforeFiltersTests {

	private static TestServer start(String... properties) {
		return TestServer.start(List.of(Handlers.class, Stack.part("Seeing")),
				TestServer.with(properties, "ratelimit.client-address.trusted-proxies=127.0.0.0/8,::1"));
	}

	private static void deny(TestServer server) {
		Target target = Target.ofAddress(Kind.DENY, "198.51.100.0/24");
		server.limiter().interventions().put(new RateLimitIntervention(target, null, null, null));
	}

	private static boolean isSeen(Answer answer) {
		return !answer.all("X-Seen").isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.deny.addresses=198.51.100.9", "ratelimit.deny.addresses[0]=203.0.113.9",
			"ratelimit.exempt.addresses=192.0.2.7" })
	void whereAddressesAreConfiguredNoFilterSeesADeniedOne(String property) {
		try (TestServer server = start(property)) {
			deny(server);
			for (String path : List.of("/free", "/nowhere")) {
				assertThat(isSeen(server.get(path, "X-Forwarded-For", "198.51.100.9").is(403))).isFalse();
				assertThat(isSeen(server.get(path, "X-Forwarded-For", "192.0.2.7"))).isTrue();
				assertThat(isSeen(server.get(path, "X-Forwarded-For", "192.0.2.8"))).isTrue();
			}
			assertThat(server.limiter().interventions().requests(Kind.DENY)).isEqualTo(2);
		}
	}

	@Test
	void whereNoneIsConfiguredEarlierFiltersSeeIt() {
		try (TestServer server = start()) {
			deny(server);
			assertThat(isSeen(server.get("/free", "X-Forwarded-For", "198.51.100.9").is(403))).isTrue();
		}
	}

}
