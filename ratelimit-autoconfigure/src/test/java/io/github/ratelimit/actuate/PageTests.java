package io.github.ratelimit.actuate;

import java.io.File;
import java.net.URI;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page and the files that it consists of.
 */
class PageTests {

	private static final String PAGE = "/actuator/ratelimits/page";

	@Test
	void weighsNoMoreThanAPicture() throws Exception {
		File[] files = new ClassPathResource("page", RateLimitsEndpointWebExtension.PageFile.class).getFile()
			.listFiles();
		assertThat(
				Stream.of(files).filter((file) -> !file.getName().equals("LICENSES.txt")).mapToLong(File::length).sum())
			.isLessThanOrEqualTo(120_000);
	}

	@Test
	void eachOfItsFilesIsServedAndNoOther() throws Exception {
		File[] files = new ClassPathResource("page", RateLimitsEndpointWebExtension.PageFile.class).getFile()
			.listFiles();
		assertThat(Stream.of(files).map(File::getName)).allMatch((name) -> name
			.equals("LICENSES.txt") == (RateLimitsEndpointWebExtension.PageFile.answer("page", name) == null));
	}

	@Nested
	@ActuatorTest
	class ServedTests {

		@Autowired
		private RestTestClient client;

		@ParameterizedTest
		@CsvSource({ "'', text/html;charset=UTF-8, <!DOCTYPE html>", "/page.css, text/css;charset=UTF-8, :root",
				"/page.js, text/javascript;charset=UTF-8, import", "/icon.svg, image/svg+xml;charset=UTF-8, <svg" })
		void servesFileWithItsType(String path, String type, String begin) {
			this.client.get()
				.uri(PAGE + path)
				.header(HttpHeaders.ACCEPT, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
				.exchange()
				.expectStatus()
				.isOk()
				.expectHeader()
				.valueEquals(HttpHeaders.CONTENT_TYPE, type)
				.expectHeader()
				.valueEquals("Content-Security-Policy",
						"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
				.expectHeader()
				.valueEquals("X-Content-Type-Options", "nosniff")
				.expectHeader()
				.valueEquals(HttpHeaders.CACHE_CONTROL, "no-cache")
				.expectBody(String.class)
				.value((body) -> assertThat(body).contains(begin));
		}

		@Test
		void unchangedFileIsNotSentAgain() {
			String tag = this.client.get()
				.uri(PAGE + "/preact.js")
				.exchange()
				.returnResult()
				.getResponseHeaders()
				.getETag();
			Answers.check(this.client.get().uri(PAGE + "/preact.js").header(HttpHeaders.IF_NONE_MATCH, tag).exchange(),
					304);
		}

		@ParameterizedTest
		@ValueSource(strings = { "/LICENSES.txt", "/..", "/../RateLimitsEndpoint.class", "/%2e%2e%2fPageFile.class",
				"/page", "/page.js/", "/", "/PAGE.html", "/override" })
		void servesNothingElse(String path) {
			this.client.get()
				.uri((uri) -> URI.create(uri.build() + PAGE + path))
				.exchange()
				.expectStatus()
				.value((status) -> assertThat(status).isIn(400, 404));
		}

		@Test
		void keyIsThatOfAPolicyOfTheSameName() {
			Answers.check(this.client.get().uri(PAGE + "?key=me").exchange(), 404, "$.policies.length()", 3);
		}

		@Test
		void tellsWhatAPolicyDecidedLately() {
			Answers.check(this.client.get().uri("/actuator/ratelimits/login/history").exchange(), 200, "$.policy",
					"login", "$.step", 5, "$.end", "2026-03-05T00:00:00Z", "$.requests.wouldBeRejected.length()", 0);
			Answers.check(this.client.get().uri("/actuator/ratelimits/unknown/history").exchange(), 404,
					"$.policies.length()", 3);
		}

		@Test
		void tellsWhetherItMayChangeAnything() {
			Answers.check(this.client.get().uri("/actuator/ratelimits").exchange(), 200, "$.writable", true, "$.health",
					null);
		}

	}

}
