package io.github.ratelimit.actuate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint beside Spring Security.
 */
class SecuredEndpointTests {

	private static final String LOGIN = "/actuator/ratelimits/login";

	private static final String KEY = LOGIN + "?key=me";

	private static final String SHADOW = "{\"mode\": \"shadow\"}";

	@Test
	void documentationShowsTheConfigurationThatIsTested() throws IOException {
		String source = Files.readString(Path.of("src/test/java/io/github/ratelimit/actuate/SecuredEndpoint.java"));
		String bean = source.substring(source.indexOf("\t@Bean"), source.indexOf("\t// @formatter:on"));
		assertThat(Files.readString(Path.of("../docs/actuator.md")))
			.contains(bean.stripTrailing().replaceAll("(?m)^\t", "").replace("\t", "    "));
	}

	@SpringBootTest(classes = Application.class,
			properties = { "management.endpoints.web.exposure.include=ratelimits",
					"management.endpoint.ratelimits.access=unrestricted", "spring.security.user.name=admin",
					"spring.security.user.password=secret", "spring.security.user.roles=ADMIN",
					"ratelimit.policies.login.limits[0].limit=1", "ratelimit.policies.login.limits[0].window=1h" })
	@AutoConfigureMockMvc
	abstract static class Secured {

		@Autowired
		MockMvcTester mvc;

		@Autowired
		RateLimiterRegistry registry;

		MvcTestResult ask(HttpMethod method, String path, String user) {
			String credentials = HttpHeaders.encodeBasicAuth(user, "secret", StandardCharsets.UTF_8);
			return this.mvc.method(method)
				.uri(path)
				.header(HttpHeaders.AUTHORIZATION, "Basic " + credentials)
				.contentType(MediaType.APPLICATION_JSON)
				.content((method == HttpMethod.POST) ? SHADOW : "")
				.exchange();
		}

	}

	/**
	 * With Spring Security's defaults.
	 */
	@Nested
	class ByDefaultTests extends Secured {

		@Test
		void lookIsAnsweredButResetIsForbidden() {
			this.registry.decide("login", "me");
			assertThat(ask(HttpMethod.GET, KEY, "admin")).hasStatus(200);
			assertThat(ask(HttpMethod.DELETE, KEY, "admin")).hasStatus(403);
			assertThat(this.registry.peek("login", "me").remaining()).isZero();
		}

	}

	/**
	 * With the configuration of the documentation.
	 */
	@Nested
	@Import({ SecuredEndpoint.class, RestOfTheApplication.class, InMemoryAuditEventRepository.class })
	class ConfiguredTests extends Secured {

		@Autowired
		AuditEventRepository audit;

		@Test
		void resetNeedsNoTokenButTheRole() {
			this.registry.decide("login", "me");
			assertThat(this.mvc.delete().uri(KEY)).hasStatus(401);
			assertThat(ask(HttpMethod.DELETE, KEY, "nobody")).hasStatus(401);
			assertThat(this.registry.peek("login", "me").remaining()).isZero();
			assertThat(ask(HttpMethod.DELETE, KEY, "admin")).hasStatus(204);
			assertThat(this.registry.peek("login", "me").remaining()).isOne();
			assertThat(this.mvc.get().uri(KEY)).hasStatus(401);
			assertThat(ask(HttpMethod.GET, "/actuator/ratelimits", "admin")).hasStatus(200);
		}

		@Test
		void overrideIsThatOfTheUserWhoAskedForIt() {
			assertThat(this.mvc.post().uri(LOGIN).contentType("application/json").content(SHADOW)).hasStatus(401);
			assertThat(ask(HttpMethod.POST, LOGIN, "admin")).hasStatus(201)
				.bodyJson()
				.extractingPath("$.who")
				.isEqualTo("admin");
			assertThat(this.audit.find("admin", null, "RATE_LIMIT_OVERRIDDEN")).hasSize(1);
			assertThat(ask(HttpMethod.DELETE, LOGIN + "/override", "nobody")).hasStatus(401);
			assertThat(ask(HttpMethod.DELETE, LOGIN + "/override", "admin")).hasStatus(204);
			assertThat(this.audit.find("admin", null, "RATE_LIMIT_OVERRIDE_REMOVED")).hasSize(1);
		}

		@Test
		void restOfTheApplicationKeepsItsTokens() {
			assertThat(ask(HttpMethod.POST, "/other", "admin")).hasStatus(403);
		}

	}

	/**
	 * With a chain that lets anybody read the actuator, as many have.
	 */
	@Nested
	@SpringBootTest(classes = { Application.class, OpenActuator.class }, webEnvironment = WebEnvironment.RANDOM_PORT,
			properties = { "server.address=127.0.0.1", "management.endpoints.web.exposure.include=*",
					"ratelimit.policies.login.limits[0].limit=1", "ratelimit.policies.login.limits[0].window=1h" })
	@AutoConfigureRestTestClient
	class OpenToAnybodyTests {

		@Test
		void nobodyUndoesALimitUnlessWritingIsAskedFor(@Autowired RestTestClient client,
				@Autowired RateLimiterRegistry registry) {
			registry.decide("login", "ada");
			EntityExchangeResult<Map<String, String>> page = client.get()
				.uri("/actuator/ratelimits/page/token")
				.exchange()
				.expectStatus()
				.isOk()
				.expectBody(new ParameterizedTypeReference<Map<String, String>>() {
				})
				.returnResult();
			HttpHeaders token = new HttpHeaders();
			token.add(page.getResponseBody().get("header"), page.getResponseBody().get("token"));
			page.getResponseHeaders()
				.getOrEmpty(HttpHeaders.SET_COOKIE)
				.forEach((cookie) -> token.add(HttpHeaders.COOKIE, cookie.split(";")[0]));
			Answers.check(client.delete()
				.uri("/actuator/ratelimits/login?key=ada")
				.headers((headers) -> headers.addAll(token))
				.exchange(), 405);
			Answers.check(client.post()
				.uri(LOGIN)
				.headers((headers) -> headers.addAll(token))
				.contentType(MediaType.APPLICATION_JSON)
				.body(SHADOW)
				.exchange(), 405);
			assertThat(registry.peek("login", "ada").remaining()).isZero();
			assertThat(registry.overrides().inForce()).isEmpty();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OpenActuator {

		@Bean
		SecurityFilterChain openActuator(HttpSecurity http) {
			return http
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/actuator/**", "/error")
					.permitAll()
					.anyRequest()
					.authenticated())
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RestOfTheApplication {

		@Bean
		SecurityFilterChain rest(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
