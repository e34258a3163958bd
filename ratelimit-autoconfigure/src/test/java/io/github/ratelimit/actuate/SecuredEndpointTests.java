package io.github.ratelimit.actuate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
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

	private static final String KEY = "/actuator/ratelimits/login?key=me";

	@Test
	void documentationShowsTheConfigurationThatIsTested() throws IOException {
		String source = Files.readString(Path.of("src/test/java/io/github/ratelimit/actuate/SecuredEndpoint.java"));
		String bean = source.substring(source.indexOf("\t@Bean"), source.indexOf("\t// @formatter:on"));
		assertThat(Files.readString(Path.of("../docs/actuator.md")))
			.contains(bean.stripTrailing().replaceAll("(?m)^\t", "").replace("\t", "    "));
	}

	private static MvcTestResult ask(MockMvcTester mvc, HttpMethod method, String uri, String user) {
		String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
		return mvc.method(method).uri(uri).header(HttpHeaders.AUTHORIZATION, "Basic " + credentials).exchange();
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
		RateLimiterRegistry limiter;

	}

	/**
	 * With Spring Security's defaults.
	 */
	@Nested
	class ByDefaultTests extends Secured {

		@Test
		void lookIsAnsweredButResetIsForbidden() {
			this.limiter.decide("login", "me");
			assertThat(ask(this.mvc, HttpMethod.GET, KEY, "admin")).hasStatus(200);
			assertThat(ask(this.mvc, HttpMethod.DELETE, KEY, "admin")).hasStatus(403);
			assertThat(this.limiter.peek("login", "me").remaining()).isZero();
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
			this.limiter.decide("login", "me");
			assertThat(this.mvc.delete().uri(KEY)).hasStatus(401);
			assertThat(ask(this.mvc, HttpMethod.DELETE, KEY, "nobody")).hasStatus(401);
			assertThat(this.limiter.peek("login", "me").remaining()).isZero();
			assertThat(ask(this.mvc, HttpMethod.DELETE, KEY, "admin")).hasStatus(204);
			assertThat(this.limiter.peek("login", "me").remaining()).isOne();
			assertThat(this.mvc.get().uri(KEY)).hasStatus(401);
			assertThat(ask(this.mvc, HttpMethod.GET, "/actuator/ratelimits", "admin")).hasStatus(200);
		}

		@Test
		void overrideIsThatOfTheUserWhoAskedForIt() {
			String body = "{\"mode\": \"shadow\"}";
			assertThat(this.mvc.post().uri("/actuator/ratelimits/login").contentType("application/json").content(body))
				.hasStatus(401);
			String credentials = HttpHeaders.encodeBasicAuth("admin", "secret", StandardCharsets.UTF_8);
			assertThat(this.mvc.post()
				.uri("/actuator/ratelimits/login")
				.header(HttpHeaders.AUTHORIZATION, "Basic " + credentials)
				.contentType("application/json")
				.content(body)).hasStatus(201).bodyJson().extractingPath("$.who").isEqualTo("admin");
			assertThat(this.audit.find("admin", null, "RATE_LIMIT_OVERRIDDEN")).hasSize(1);
			assertThat(ask(this.mvc, HttpMethod.DELETE, "/actuator/ratelimits/login/override", "nobody"))
				.hasStatus(401);
			assertThat(ask(this.mvc, HttpMethod.DELETE, "/actuator/ratelimits/login/override", "admin")).hasStatus(204);
			assertThat(this.audit.find("admin", null, "RATE_LIMIT_OVERRIDE_REMOVED")).hasSize(1);
		}

		@Test
		void restOfTheApplicationKeepsItsTokens() {
			assertThat(ask(this.mvc, HttpMethod.POST, "/other", "admin")).hasStatus(403);
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
				@Autowired RateLimiterRegistry limiter) {
			limiter.decide("login", "ada");
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
				.uri("/actuator/ratelimits/login")
				.headers((headers) -> headers.addAll(token))
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"mode\": \"shadow\"}")
				.exchange(), 405);
			assertThat(limiter.peek("login", "ada").remaining()).isZero();
			assertThat(limiter.overrides().inForce()).isEmpty();
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
