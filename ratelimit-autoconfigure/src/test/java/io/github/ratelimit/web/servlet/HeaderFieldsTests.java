package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.github.ratelimit.web.HeaderFieldSetter;
import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HeaderFields} on Tomcat, where they are set as bytes: nobody must see
 * a difference.
 */
class HeaderFieldsTests {

	@TempDir
	Path folder;

	private final Tomcat tomcat = new Tomcat();

	private final HttpClient client = HttpClient.newHttpClient();

	private final Answering servlet = new Answering();

	@BeforeEach
	void start() throws Exception {
		this.tomcat.setBaseDir(this.folder.toString());
		this.tomcat.setPort(0);
		this.tomcat.setHostname("127.0.0.1");
		Context context = this.tomcat.addContext("", null);
		Tomcat.addServlet(context, "answering", this.servlet);
		context.addServletMappingDecoded("/", "answering");
		this.tomcat.getConnector();
		this.tomcat.start();
	}

	@AfterEach
	void stop() throws Exception {
		this.tomcat.stop();
		this.tomcat.destroy();
	}

	@Test
	void aFieldIsSentAndCanBeRead() throws Exception {
		this.servlet.answer = (response) -> {
			HeaderFields.of(response, null).set(HeaderName.RATE_LIMIT, ascii("\"search\";r=9"));
			assertThat(response.containsHeader("ratelimit")).isTrue();
			assertThat(response.getHeader("RateLimit")).isEqualTo("\"search\";r=9");
			assertThat(response.getHeaderNames()).contains("RateLimit");
		};
		assertThat(ask().headers().allValues("RateLimit")).containsExactly("\"search\";r=9");
	}

	@Test
	void aFieldTakesThePlaceOfAllEarlierOnes() throws Exception {
		this.servlet.answer = (response) -> {
			response.addHeader("x-ratelimit-limit", "1");
			response.addHeader("X-RateLimit-Limit", "2");
			HeaderFieldSetter fields = HeaderFields.of(response, null);
			fields.set(HeaderName.X_RATE_LIMIT_LIMIT, ascii("3"));
			fields.set(HeaderName.X_RATE_LIMIT_LIMIT, ascii("4"));
		};
		assertThat(ask().headers().allValues("X-RateLimit-Limit")).containsExactly("4");
	}

	@Test
	void aLineOfAListTakesThePlaceOfOurOwnAlone() throws Exception {
		this.servlet.answer = (response) -> {
			response.addHeader("ratelimit", "one");
			HeaderFields fields = HeaderFields.of(response, null);
			fields.set(HeaderName.RATE_LIMIT, ascii("two"));
			response.addHeader("RateLimit", "three");
			HeaderFields.of(response, fields).set(HeaderName.RATE_LIMIT, ascii("four"));
		};
		assertThat(ask().headers().allValues("RateLimit")).containsExactlyInAnyOrder("one", "three", "four");
	}

	@Test
	void anotherFieldTakesItsPlace() throws Exception {
		this.servlet.answer = (response) -> {
			HeaderFields.of(response, null).set(HeaderName.RATE_LIMIT, ascii("one"));
			response.setHeader("RateLimit", "two");
		};
		assertThat(ask().headers().allValues("RateLimit")).containsExactly("two");
	}

	@Test
	void aResetTakesItAway() throws Exception {
		this.servlet.answer = (response) -> {
			HeaderFields.of(response, null).set(HeaderName.RATE_LIMIT, ascii("one"));
			response.reset();
		};
		assertThat(ask().headers().allValues("RateLimit")).isEmpty();
	}

	@Test
	void theNextResponseOnTheConnectionHasItsOwn() throws Exception {
		for (int i = 0; i < 20; i++) {
			String value = "a value that is longer than thirty-two bytes, " + i;
			boolean limited = i % 2 == 0;
			this.servlet.answer = (response) -> {
				if (limited) {
					HeaderFields.of(response, null).set(HeaderName.RATE_LIMIT_POLICY, ascii(value));
				}
				response.setContentLength(0);
			};
			HttpResponse<String> answer = ask();
			assertThat(answer.headers().firstValue("RateLimit-Policy").orElse("")).isEqualTo(limited ? value : "");
			assertThat(answer.headers().firstValue("Content-Length")).hasValue("0");
		}
	}

	@Test
	void whoWrapsTheResponseSeesItsFields() throws Exception {
		StringBuilder seen = new StringBuilder();
		this.servlet.answer = (response) -> HeaderFields.of(new HttpServletResponseWrapper(response) {

			@Override
			public void setHeader(String name, String value) {
				seen.append(name).append('=').append(value);
				super.setHeader(name, value);
			}

		}, null).set(HeaderName.RATE_LIMIT, ascii("one"));
		assertThat(ask().headers().allValues("RateLimit")).containsExactly("one");
		assertThat(seen).hasToString("RateLimit=one");
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	private HttpResponse<String> ask() throws IOException, InterruptedException {
		URI uri = URI.create("http://127.0.0.1:" + this.tomcat.getConnector().getLocalPort() + "/");
		HttpResponse<String> response = this.client.send(HttpRequest.newBuilder(uri).build(),
				HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
		assertThat(response.statusCode()).isEqualTo(200);
		return response;
	}

	private interface Answer {

		void to(HttpServletResponse response) throws IOException;

	}

	private static final class Answering extends HttpServlet {

		private volatile Answer answer = (response) -> {
		};

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
			this.answer.to(response);
		}

	}

}
