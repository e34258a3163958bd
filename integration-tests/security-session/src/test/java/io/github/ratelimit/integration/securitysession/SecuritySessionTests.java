package io.github.ratelimit.integration.securitysession;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, classes = Application.class)
class SecuritySessionTests {

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	@LocalServerPort
	int port;

	@Test
	void handlerTellsUsersApart() throws Exception {
		assertThat(Stream.of("ada", "ada", "bob", "bob").map((user) -> getAs(user, "/mine"))).containsExactly(200, 429,
				200, 429);
	}

	@Test
	void ruleAfterSecurityTellsUsersApartAndDoesNotCountStrangers() throws Exception {
		assertThat(Stream.of("eve", "eve", "ada", "ada", "bob", "eve").map((user) -> getAs(user, "/account/page")))
			.containsExactly(401, 401, 200, 429, 200, 401);
	}

	@Test
	void ruleBeforeSecurityCountsStrangers() throws Exception {
		assertThat(Stream.of("eve", "eve", "ada").map((user) -> getAs(user, "/gate/page"))).containsExactly(401, 401,
				429);
	}

	@Test
	void handlerTellsSubjectsOfTokensApart() {
		assertThat(Stream.of("ada", "ada", "bob").map((user) -> getWith(Tokens.of(user, "acme"), "/tokens/subject")))
			.containsExactly(200, 429, 200);
		assertThat(getWith("forged", "/tokens/subject")).isEqualTo(401);
	}

	@Test
	void ruleTellsTenantsOfTokensApartAndLeavesOneOut() {
		assertThat(Stream.of("a", "b", "c").map((user) -> getWith(Tokens.of(user, "acme"), "/tokens/page")))
			.containsExactly(200, 200, 429);
		assertThat(getWith(Tokens.of("a", "other"), "/tokens/page")).isEqualTo(200);
		assertThat(Stream.of("a", "b", "c").map((user) -> getWith(Tokens.of(user, "internal"), "/tokens/page")))
			.containsExactly(200, 200, 200);
		assertThat(Stream.of("1", "2", "3").map((token) -> getWith(token, "/tokens/page"))).containsExactly(401, 401,
				401);
	}

	@Test
	void handlerTellsSessionsApart() throws Exception {
		String first = login();
		String second = login();
		assertThat(Stream.of(first, first, second).map((session) -> getIn(session, "/cart"))).containsExactly(200, 429,
				200);
	}

	@Test
	void ruleTellsSessionsApart() throws Exception {
		String first = login();
		String second = login();
		assertThat(Stream.of(first, first, first, second).map((session) -> getIn(session, "/visits/page")))
			.containsExactly(200, 200, 429, 200);
	}

	@Test
	void sessionsThatNobodyStartedAreOneClient() throws Exception {
		assertThat(Stream.of("forged-1", "forged-2", "forged-3").map((id) -> getIn("SESSION=" + id, "/visits/page")))
			.containsExactly(302, 302, 429);
	}

	@Test
	void apiIsDescribedWithItsLimits() throws Exception {
		assertThat(get(this.port, "/v3/api-docs").body()).contains("\"/mine\"", "\"operationId\":\"item\"", "\"429\"");
	}

	@Test
	void apiIsDescribedAsWithoutLimitsWhereThatIsTurnedOff() throws Exception {
		assertThat(descriptionWith("--ratelimit.springdoc.enabled=false")).contains("\"/mine\"", "\"/items/{id}\"")
			.isEqualTo(descriptionWith("--ratelimit.enabled=false"));
	}

	private static String descriptionWith(String property) throws Exception {
		try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class).run(property,
				"--server.port=0", "--spring.jmx.enabled=false")) {
			int port = application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			return get(port, "/v3/api-docs").body().replace(":" + port, "");
		}
	}

	@Test
	void swaggerPageIsServed() throws Exception {
		HttpResponse<String> page = get(this.port, "/swagger-ui/index.html");
		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.body()).contains("swagger-ui");
	}

	private int getAs(String user, String path) {
		return send(request(this.port, path).header("Authorization",
				"Basic " + Base64.getEncoder().encodeToString((user + ":" + user).getBytes())))
			.statusCode();
	}

	private int getWith(String token, String path) {
		return send(request(this.port, path).header("Authorization", "Bearer " + token)).statusCode();
	}

	private int getIn(String session, String path) {
		return send(request(this.port, path).header("Cookie", session).header("Accept", "text/html")).statusCode();
	}

	private String login() {
		HttpResponse<String> response = send(
				request(this.port, "/login").header("Content-Type", "application/x-www-form-urlencoded")
					.POST(HttpRequest.BodyPublishers.ofString("username=ada&password=ada")));
		String cookie = response.headers().firstValue("Set-Cookie").orElseThrow();
		return cookie.substring(0, cookie.indexOf(';'));
	}

	private static HttpResponse<String> get(int port, String path) {
		return send(request(port, path));
	}

	private static HttpRequest.Builder request(int port, String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
	}

	private static HttpResponse<String> send(HttpRequest.Builder request) {
		try {
			return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
