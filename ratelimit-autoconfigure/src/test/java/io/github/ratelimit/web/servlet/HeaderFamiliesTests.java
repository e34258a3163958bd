package io.github.ratelimit.web.servlet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which header fields are sent, on whatever a rule touched: static resources and what is
 * not there too.
 */
class HeaderFamiliesTests {

	@TempDir
	Path files;

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					rate-limit              | ratelimit ratelimit-policy
					x-rate-limit            | x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset
					rate-limit,x-rate-limit | ratelimit ratelimit-policy x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset
					''                      |
					""")
	void onlyTheWantedFamiliesAreSent(String wanted, @Nullable String names) throws Exception {
		try (TestServer server = start("ratelimit.headers=" + wanted)) {
			assertThat(limitHeaders(server.get("/limited/a.txt")))
				.containsExactlyInAnyOrder((names != null) ? names.split(" ") : new String[0]);
			server.get("/limited/a.txt");
			Answer rejected = server.get("/limited/a.txt");
			rejected.is(429, "Retry-After: 1800");
			assertThat(rejected.field("X-RateLimit-Retry-After") != null).isEqualTo(wanted.contains("x-rate-limit"));
		}
	}

	@Test
	void aStaticResourceIsLimitedAndAnUntouchedOneHasNoHeaders() throws Exception {
		try (TestServer server = start()) {
			Answer limited = server.get("/limited/a.txt");
			assertThat(limited.body()).isEqualTo("a");
			assertThat(limited.all("RateLimit")).containsExactly("\"two\";r=1;t=1800");
			Answer free = server.get("/free.txt");
			assertThat(free.body()).isEqualTo("free");
			assertThat(limitHeaders(free)).isEmpty();
			assertThat(limitHeaders(server.get("/missing"))).isEmpty();
		}
	}

	@Test
	void theErrorPageOfWhatIsNotThereHasTheHeadersOfTheRule() throws Exception {
		try (TestServer server = start()) {
			Answer page = server.get("/limited/missing", "Accept", "text/html");
			page.is(404);
			assertThat(page.body()).contains("<html>");
			assertThat(page.all("RateLimit")).containsExactly("\"two\";r=1;t=1800");
		}
	}

	@Test
	void namesAndResetsAreToldAsConfigured() throws Exception {
		try (TestServer server = start("ratelimit.headers.policy-names=short", "ratelimit.headers.reset=epoch")) {
			Answer limited = server.get("/limited/a.txt");
			assertThat(limited.all("RateLimit")).containsExactly("\"p1\";r=1;t=1800");
			assertThat(limited.all("X-RateLimit-Reset"))
				.containsExactly(Long.toString(server.clock().nanos() / 1_000_000_000L + 1800));
			server.get("/limited/a.txt");
			assertThat(server.get("/limited/a.txt").body()).contains("\"violated-policies\":[\"p1\"]");
		}
	}

	private TestServer start(String... more) throws Exception {
		Files.createDirectories(this.files.resolve("limited"));
		Files.writeString(this.files.resolve("limited/a.txt"), "a");
		Files.writeString(this.files.resolve("free.txt"), "free");
		String[] rule = { "spring.web.resources.static-locations=" + this.files.toUri(), "two: 2 per 1h",
				"/limited/** -> two" };
		return TestServer.start(Empty.class, TestServer.with(rule, more));
	}

	private static List<String> limitHeaders(Answer response) {
		return response.headers()
			.map()
			.keySet()
			.stream()
			.map((name) -> name.toLowerCase(Locale.ROOT))
			.filter((name) -> name.contains("ratelimit"))
			.toList();
	}

	@Configuration(proxyBeanMethods = false)
	static class Empty {

	}

}
