package io.github.ratelimit.actuate;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.servlet.client.RestTestClient;

import static io.github.ratelimit.actuate.Answers.check;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page and the files that it consists of.
 */
class PageTests {

	private static final String PAGE = "/actuator/ratelimits/page";

	@Test
	void eachOfItsFilesIsServedAndNoOtherAndTogetherTheyWeighNoMoreThanAPicture() throws Exception {
		long bytes = 0;
		long sent = 0;
		for (File file : new ClassPathResource("page", RateLimitsEndpoint.class).getFile().listFiles()) {
			boolean served = RateLimitsEndpointWebExtension.pageFile("page", file.getName()) != null;
			assertThat(served).as(file.getName()).isNotEqualTo(file.getName().equals("LICENSES.txt"));
			bytes += served ? file.length() : 0;
			sent += (served && !file.getName().startsWith("playground")) ? sent(file) : 0;
		}
		assertThat(bytes).isBetween(1L, 120_000L);
		assertThat(sent).as("before the playground is opened").isBetween(1L, 40_000L);
	}

	/* Servers that compress leave small files as they are. */
	private static int sent(File file) throws IOException {
		byte[] bytes = Files.readAllBytes(file.toPath());
		if (bytes.length < 2048) {
			return bytes.length;
		}
		ByteArrayOutputStream compressed = new ByteArrayOutputStream();
		try (OutputStream out = new GZIPOutputStream(compressed)) {
			out.write(bytes);
		}
		return compressed.size();
	}

	@Nested
	class ServedTests extends ActuatorTest {

		@ParameterizedTest
		@CsvSource({ "'', text/html;charset=UTF-8, <!DOCTYPE html>", "/page.css, text/css;charset=UTF-8, :root",
				"/page.js, text/javascript;charset=UTF-8, import", "/icon.svg, image/svg+xml;charset=UTF-8, <svg" })
		void servesFileWithItsType(String path, String type, String begin) {
			RestTestClient.ResponseSpec answer = this.client.get()
				.uri(PAGE + path)
				.header(HttpHeaders.ACCEPT, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
				.exchange();
			answer.expectBody(String.class).value((body) -> assertThat(body).contains(begin));
			answer.expectStatus().isOk();
			Map.of(HttpHeaders.CONTENT_TYPE, type, "Content-Security-Policy",
					"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
					"X-Content-Type-Options", "nosniff", HttpHeaders.CACHE_CONTROL, "no-cache")
				.forEach((name, value) -> answer.expectHeader().valueEquals(name, value));
		}

		@Test
		void unchangedFileIsNotSentAgain() {
			String tag = this.client.get()
				.uri(PAGE + "/preact.js")
				.exchange()
				.returnResult()
				.getResponseHeaders()
				.getETag();
			check(this.client.get().uri(PAGE + "/preact.js").header(HttpHeaders.IF_NONE_MATCH, tag).exchange(), 304);
		}

		@ParameterizedTest
		@ValueSource(strings = { "/LICENSES.txt", "/..", "/../RateLimitsEndpoint.class",
				"/%2e%2e%2fRateLimitsEndpoint.class", "/page", "/page.js/", "/", "/PAGE.html", "/override" })
		void servesNothingElse(String path) {
			this.client.get()
				.uri((uri) -> URI.create(uri.build() + PAGE + path))
				.exchange()
				.expectStatus()
				.value((status) -> assertThat(status).isIn(400, 404));
		}

		@Test
		void keyIsThatOfAPolicyOfTheSameName() {
			check(this.client.get().uri(PAGE + "?key=me").exchange(), 404, "$.policies.length()", 3);
		}

		@Test
		void tellsWhatAPolicyDecidedLately() {
			RestTestClient.ResponseSpec answer = get("/login/history");
			check(answer, 200, "$.policy", "login", "$.step", 5);
			answer.expectBody()
				.jsonPath("$.requests.wouldBeRejected")
				.isArray()
				.jsonPath("$.end")
				.value(String.class, (end) -> assertThat(Instant.parse(end)).isAfterOrEqualTo("2026-03-05T00:00:00Z"));
			check(get("/unknown/history"), 404, "$.policies.length()", 3);
			check(get("/unknown/rejected"), 404, "$.policies.length()", 3);
		}

	}

}
