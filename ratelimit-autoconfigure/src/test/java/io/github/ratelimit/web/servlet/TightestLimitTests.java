package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Of limits with equally many permits left, the one that takes longest to have all of
 * them again is the tightest, in whatever order they are configured.
 */
class TightestLimitTests {

	@Test
	void theLongestResetIsToldWhereEquallyManyPermitsAreLeft() {
		String[] properties = Stream.concat(policy(0, "short-first", "1m", "1h"), policy(1, "long-first", "1h", "1m"))
			.toArray(String[]::new);
		try (TestServer server = TestServer.start(Empty.class, properties)) {
			for (String path : List.of("/short-first", "/long-first")) {
				assertThat(reset(server.get(path))).isEqualTo("3600");
				HttpResponse<String> rejected = server.get(path);
				assertThat(rejected.statusCode()).isEqualTo(429);
				assertThat(reset(rejected)).isEqualTo("3600");
			}
		}
	}

	private static String reset(HttpResponse<String> response) {
		return response.headers().firstValue("X-RateLimit-Reset").orElseThrow();
	}

	private static Stream<String> policy(int index, String name, String firstWindow, String secondWindow) {
		String limits = "ratelimit.policies." + name + ".limits";
		return Stream.of("ratelimit.rules[" + index + "].path=/" + name,
				"ratelimit.rules[" + index + "].policy=" + name, limits + "[0].algorithm=fixed-window-counter",
				limits + "[0].limit=1", limits + "[0].window=" + firstWindow,
				limits + "[1].algorithm=fixed-window-counter", limits + "[1].limit=1",
				limits + "[1].window=" + secondWindow);
	}

	@Configuration(proxyBeanMethods = false)
	static class Empty {

	}

}
