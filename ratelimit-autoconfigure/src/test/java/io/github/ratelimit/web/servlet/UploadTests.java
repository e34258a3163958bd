package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.http.Part;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.multipart.MaxUploadSizeExceededException;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.multipart.MultipartResolver;
import org.springframework.web.multipart.support.MultipartFilter;
import org.springframework.web.multipart.support.StandardServletMultipartResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

/**
 * Uploads to a real Tomcat: what is rejected is not read, and what is allowed is parsed
 * as ever.
 */
class UploadTests {

	private static final String[] SYNCHRONOUS = { "/upload", "/unlimited", "/argument", "/part", "/request" };

	private static final String[] UNLIMITED = { "spring.servlet.multipart.max-file-size=-1",
			"spring.servlet.multipart.max-request-size=-1" };

	private static final String MULTIPART = "multipart/form-data; boundary=b";

	private static final String NO_BOUNDARY = "multipart/form-data";

	private static final String SMALL = "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nt\r\n"
			+ "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.txt\"\r\n\r\ncontent\r\n--b--\r\n";

	private static final long GIGABYTE = 1 << 30;

	/* What is on its way in the buffers of both sides is not what the server reads. */
	private static final long SWALLOWED_AND_BUFFERED = 64 << 20;

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Controller.class, UNLIMITED);
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void theConnectionIsClosedWhenMoreWouldFollowThanTheServerDiscards() throws IOException {
		upload(server, "/upload");
		try (Socket socket = begin("/upload", "Content-Length: " + GIGABYTE)) {
			assertThat(TestServer.head(socket)).contains("Connection: close");
			assertThat(sendUntilClosed(socket)).isLessThan(SWALLOWED_AND_BUFFERED);
		}
	}

	@Test
	void theConnectionIsKeptWhenTheServerDiscardsTheRest() throws IOException {
		upload(server, "/upload");
		try (Socket socket = begin("/upload", "Content-Length: " + SMALL.length())) {
			assertThat(TestServer.head(socket)).startsWith("HTTP/1.1 429").doesNotContain("Connection: close");
			socket.getOutputStream()
				.write((SMALL + "GET /missing HTTP/1.1\r\nHost: localhost\r\n\r\n")
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(TestServer.head(socket)).startsWith("HTTP/1.1 404");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Controller.class, OwnResolver.class })
	void whatIsAllowedIsParsedAsEver(Class<?> application) {
		try (TestServer server = TestServer.start(application)) {
			assertParsed(server);
		}
	}

	/*
	 * Spring's filter deletes the parts as soon as the request is handled, while an
	 * asynchronous handler may still read them.
	 */
	@Test
	void whatAFilterOfTheApplicationHasParsedIsReadAsEver() {
		try (TestServer server = TestServer.start(WithFilter.class)) {
			assertParsed(server, SYNCHRONOUS);
		}
	}

	@Test
	void anApplicationThatResolvesUploadsAtOnceKeepsToIt() {
		try (TestServer server = TestServer.start(Controller.class, "spring.servlet.multipart.resolve-lazily=false")) {
			assertParsed(server);
			assertThat(server.send("POST", "/ignored", "no part", "Content-Type", NO_BOUNDARY).status())
				.isGreaterThanOrEqualTo(400);
			assertThat(server.limiter().policy("Controller.ignored").count(RateLimitOutcome.ALLOWED)).isZero();
		}
	}

	@Test
	void aMalformedUploadFailsAsWithoutLimitsAndCounts() {
		int without;
		try (TestServer server = TestServer.start(Controller.class, "ratelimit.enabled=false")) {
			without = server.send("POST", "/part", "no part", "Content-Type", NO_BOUNDARY).status();
		}
		assertThat(without).isGreaterThanOrEqualTo(400);
		server.send("POST", "/part", "no part", "Content-Type", NO_BOUNDARY).is(without, "X-RateLimit-Remaining: 4");
	}

	@Test
	void anUploadThatIsTooLargeIsAnsweredByTheApplicationsHandler() {
		try (TestServer server = TestServer.start(WithAdvice.class, "spring.servlet.multipart.max-file-size=3B")) {
			for (String path : new String[] { "/upload", "/unlimited", "/argument" }) {
				Answer response = upload(server, path);
				assertThat(response.status()).as(path).isEqualTo(413);
				assertThat(response.body()).isEqualTo("too large");
			}
		}
	}

	@Test
	void anExpressionMayNeedAPart() {
		assertThat(upload(server, "/argument").body()).isEqualTo("t content");
		upload(server, "/argument").is(429);
		assertThat(server.limiter().peek("Controller.argument", "f.txt").remaining()).isZero();
	}

	private static void assertParsed(TestServer server) {
		assertParsed(server, SYNCHRONOUS);
		assertParsed(server, "/async");
	}

	private static void assertParsed(TestServer server, String... paths) {
		for (String path : paths) {
			assertThat(upload(server, path).is(200).body()).as(path).isEqualTo("t content");
		}
	}

	private static Answer upload(TestServer server, String path) {
		return server.send("POST", path, SMALL, "Content-Type", MULTIPART);
	}

	private static Socket begin(String path, String length) throws IOException {
		return server.begin("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + MULTIPART + "\r\n"
				+ length + "\r\n\r\n");
	}

	private static long sendUntilClosed(Socket socket) {
		byte[] block = new byte[1 << 16];
		long sent = 0;
		try {
			OutputStream out = socket.getOutputStream();
			while (sent < GIGABYTE) {
				out.write(block);
				sent += block.length;
			}
		}
		catch (IOException ex) {
			// closed
		}
		return sent;
	}

	@RestController
	static class Controller {

		@RateLimited(limit = 1, window = "1h")
		@PostMapping("/upload")
		String upload(@RequestParam String title, @RequestParam MultipartFile file) throws IOException {
			return title + " " + text(file);
		}

		@RateLimited(limit = 1, window = "1h", key = "#file.originalFilename")
		@PostMapping("/argument")
		public String argument(@RequestParam String title, @RequestParam MultipartFile file) throws IOException {
			return title + " " + text(file);
		}

		@RateLimited(limit = 5, window = "1h")
		@PostMapping("/part")
		String part(@RequestParam String title, @RequestPart Part file) throws IOException {
			return title + " " + new String(file.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}

		@RateLimited(limit = 5, window = "1h")
		@PostMapping("/request")
		String request(MultipartHttpServletRequest request) throws IOException {
			MultipartFile file = request.getFile("file");
			return request.getParameter("title") + " " + text(file);
		}

		@RateLimited(limit = 5, window = "1h")
		@PostMapping("/async")
		Callable<String> async(@RequestParam String title, @RequestParam MultipartFile file) {
			return () -> title + " " + text(file);
		}

		@RateLimited(limit = 5, window = "1h")
		@PostMapping("/ignored")
		String ignored() {
			return "ignored";
		}

		@PostMapping("/unlimited")
		String unlimited(@RequestParam String title, @RequestParam MultipartFile file) throws IOException {
			return title + " " + text(file);
		}

		private static String text(MultipartFile file) throws IOException {
			return new String(file.getBytes(), StandardCharsets.US_ASCII);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class OwnResolver {

		@Bean
		MultipartResolver multipartResolver() {
			return mock(MultipartResolver.class, delegatesTo(new StandardServletMultipartResolver()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class WithFilter {

		@Bean
		MultipartFilter multipartFilter() {
			return new MultipartFilter();
		}

		@Bean
		StandardServletMultipartResolver filterMultipartResolver() {
			return new StandardServletMultipartResolver();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, Advice.class })
	static class WithAdvice {

	}

	@RestControllerAdvice
	static class Advice {

		@ExceptionHandler(MaxUploadSizeExceededException.class)
		ResponseEntity<String> tooLarge() {
			return ResponseEntity.status(HttpStatus.CONTENT_TOO_LARGE).body("too large");
		}

	}

}
