package io.github.ratelimit.integration.suite;

import java.util.List;

import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who the client is behind proxies, over HTTP, whoever applies the forwarded headers; and
 * that no client can make itself keys out of garbage.
 */
class ForwardedClientTests {

	private static final List<String> GARBAGE = List.of("x", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "999.1.1.1",
			"::1::", "[", "\"", "a:b", "for=", "-1", "1.2.3.4:", "<script>", "%00", "a".repeat(4000));

	private static final List<String> FORGED = List.of("for=1.1.1.1", "for=192.0.2.1", "", "for=unknown", "for=_hidden",
			"garbage", "for=\"", "for=1.1.1.1, for=127.0.0.1", ",,,", "for=1.1.1.1\r\nForwarded: for=1.1.1.2");

	@Test
	void withoutTrustedProxiesEveryHeaderIsTheConnections() {
		try (TestServer server = start()) {
			assertThat(remaining(server, "X-Forwarded-For", "192.0.2.1")).isEqualTo(9999);
			assertThat(remaining(server, "Forwarded", "for=192.0.2.2")).isEqualTo(9998);
			assertThat(keys(server)).isOne();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.client-address.trusted-proxies=127.0.0.0/8",
			"server.forward-headers-strategy=native", "server.forward-headers-strategy=framework" })
	void aProxysWordIsAppliedOnceAndAPortIsNoPartOfTheClient(String property) {
		try (TestServer server = start(property)) {
			assertThat(remaining(server, "X-Forwarded-For", "192.0.2.1")).isEqualTo(9999);
			assertThat(remaining(server, "X-Forwarded-For", "192.0.2.1")).isEqualTo(9998);
			assertThat(remaining(server, "X-Forwarded-For", "192.0.2.2")).isEqualTo(9999);
			assertThat(server.limiter().peek("client", "address:192.0.2.1").remaining()
					+ server.limiter().peek("client", "192.0.2.1").remaining())
				.isEqualTo(9998 + 10000);
			assertThat(remaining(server, "X-Forwarded-For", "192.0.2.1:4711")).isEqualTo(9997);
			assertThat(remaining(server, "X-Forwarded-For", "192.0.2.1:4712")).isEqualTo(9996);
			assertThat(keys(server)).isEqualTo(2);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.client-address.trusted-proxies=127.0.0.0/8",
			"server.forward-headers-strategy=native", "server.forward-headers-strategy=framework" })
	void garbageMakesNoKeys(String property) {
		try (TestServer server = start(property)) {
			for (String garbage : GARBAGE) {
				server.raw("GET /", "X-Forwarded-For: " + garbage);
				server.raw("GET /", "Forwarded: for=" + garbage);
				server.raw("GET /", "X-Forwarded-For: " + garbage, "Forwarded: " + garbage);
			}
			// the connection's, nobody's, and the one address with a port
			assertThat(keys(server)).isLessThanOrEqualTo(3);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.client-address.trusted-proxies=127.0.0.0/8",
			"server.forward-headers-strategy=native" })
	void tenThousandEntriesToTheLeftOfTheProxysDoNotMatter(String property) {
		try (TestServer server = start(property, "server.max-http-request-header-size=1MB")) {
			for (String forged : List.of("10.9.8.7, ", "garbage, ", ",")) {
				remaining(server, "X-Forwarded-For", forged.repeat(10_000) + "192.0.2.1");
			}
			if (!property.endsWith("native") || !Difference.A_SERVER_BELIEVES_THE_FIRST_ADDRESS.here()) {
				assertThat(keys(server)).isOne();
			}
		}
	}

	/* Each from an address of its own, the second of which is the one that is forged. */
	@ParameterizedTest
	@ValueSource(strings = { "", "ratelimit.client-address.header=x-forwarded-for" })
	void aForgedHeaderBuysNothingBehindAProxyThatSetsTheOther(String header) {
		try (TestServer server = start("ratelimit.client-address.trusted-proxies=127.0.0.0/8", header)) {
			for (int number = 0; number < FORGED.size(); number++) {
				String client = "192.0.2." + number;
				assertThat(remaining(server, "X-Forwarded-For", "198.51.100." + number)).isEqualTo(9999);
				for (int i = 0; i < 5; i++) {
					assertThat(server.raw("GET /", "X-Forwarded-For: " + client, "Forwarded: " + FORGED.get(number)))
						.contains("x-ratelimit-remaining: " + (9999 - 2 * i));
					assertThat(remaining(server, "X-Forwarded-For", client)).isEqualTo(9998 - 2 * i);
				}
				assertThat(keys(server)).as(FORGED.get(number)).isEqualTo(2 * (number + 1));
			}
		}
	}

	@Test
	void aSingleAddressIsTheClientHoweverItsHeaderIsWritten() {
		try (TestServer server = start("ratelimit.client-address.trusted-proxies=127.0.0.0/8",
				"ratelimit.client-address.header=X-Real-IP")) {
			assertThat(remaining(server, "X-Real-IP", "192.0.2.1")).isEqualTo(9999);
			assertThat(remaining(server, "x-real-ip", "192.0.2.1")).isEqualTo(9998);
			assertThat(remaining(server, "X-Forwarded-For", "192.0.2.1")).isEqualTo(9999);
			assertThat(server.raw("GET /", "X-Real-IP: 192.0.2.1", "X-Real-IP: 192.0.2.2"))
				.contains("x-ratelimit-remaining: 9998");
			GARBAGE.forEach((garbage) -> server.raw("GET /", "X-Real-IP: " + garbage));
			// the client's, the proxy's, and the one address with a port
			assertThat(keys(server)).isLessThanOrEqualTo(3);
		}
	}

	private static TestServer start(String... more) {
		String[] rule = { "client: 10000 per 30d", "/** -> client" };
		return TestServer.start(Handlers.class, TestServer.with(rule, more));
	}

	private static long remaining(TestServer server, String header, String value) {
		return server.get("/", header, value).remaining();
	}

	private static long keys(TestServer server) {
		return server.limiter().policy("client").keys();
	}

}
