package io.github.ratelimit.web.servlet;

import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever way a path is written in, a rule applies wherever the application serves it.
 */
class PathVariantsTests {

	private static final String[] RULES = { "p: 100000 per 1s", "/login -> p", "/plain/login -> p" };

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, with("server.servlet.context-path=/app"));
	}

	@ParameterizedTest
	@CsvSource({ "/app/login, true", "/app/login?a=b, true", "/app/%6Cogin, true", "/app/%6cogi%6e, true",
			"/app/login;a=b, true", "/app/login;a=b;c, true", "/app/login;, true", "/app;x=y/login, true",
			"/%61pp/login, true", "/app/LOGIN, false", "/app/login%20, false", "/app/logins, false", "/login, false",
			"/app/%2561login, false", "/app/login%3Ba, false", "/app/x/login, false" })
	void aRuleAppliesExactlyWhereSpringMvcServes(String path, boolean served) {
		String response = server.raw("GET " + path);
		assertThat(response.startsWith("http/1.1 200")).as(response).isEqualTo(served);
		assertThat(response.contains("ratelimit:")).as(response).isEqualTo(served);
	}

	@ParameterizedTest
	@CsvSource({ "/app/plain/login, true", "/app/plain/%6Cogin, true", "/app/plain;a=b/login;c, true",
			"/app//plain/login, true", "/app/plain//login, true", "/app/./plain/./login, true",
			"/app/x/../plain/login, true", "/%61pp/plain/login, true", "/app/plain/LOGIN, false",
			"/app/plain/logins, false", "/app/plain/x/login, false" })
	void aRuleAppliesExactlyWhereAnotherServletServes(String path, boolean served) {
		String response = server.raw("GET " + path);
		assertThat(response.contains("plain: yes")).as(response).isEqualTo(served);
		assertThat(response.contains("ratelimit:")).as(response).isEqualTo(served);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/app//login", "/app/./login", "/app/x/../login", "/app/login/", "/app/login/.",
			"/app/;x/login", "/app/%256Cogin", "/app/plain/login/", "/app/plain/%256Cogin" })
	void whatAResourceWouldBeServedForCountsEvenIfThereIsNone(String path) {
		assertThat(server.raw("GET " + path)).startsWith("http/1.1 404").contains("ratelimit:");
	}

	@Test
	void noSpellingOfAPathHasABudgetOfItsOwn() {
		try (TestServer files = TestServer.start(Files.class, "p: 1 per 1d; key=pathVariable('tenant')",
				"/files/{tenant}/** -> p")) {
			assertThat(files.raw("GET /files/acme/report.txt")).startsWith("http/1.1 200");
			for (String spelling : new String[] { "/files/./acme/report.txt", "//files/acme/report.txt",
					"/files/.;a/acme/report.txt", "/files/%61cme/report.txt", "/files/acme;a=b/report.txt",
					"/files//acme/report.txt" }) {
				assertThat(files.raw("GET " + spelling)).as(spelling).startsWith("http/1.1 429");
			}
			assertThat(files.raw("GET /files/J%C3%BCrgen/x")).startsWith("http/1.1 404");
			assertThat(files.raw("GET /files/J%c3%bcrgen/x")).startsWith("http/1.1 429");
			assertThat(files.limiter().peek("p", "Jürgen").remaining()).isZero();
		}
	}

	@Test
	void theVariableThatAHandlerSeesCountsHoweverThePathGoesOn() {
		try (TestServer tenants = TestServer.start(Application.class, "p: 1 per 1d; key=pathVariable('tenant')",
				"/tenants/{tenant}/** -> p")) {
			assertThat(tenants.raw("GET /tenants/acme/x")).startsWith("http/1.1 200").contains("tenant: acme");
			for (int i = 0; i < 3; i++) {
				assertThat(tenants.raw("GET /tenants/acme/../t" + i + "/x")).startsWith("http/1.1 429");
			}
			assertThat(tenants.raw("GET /tenants/other/../t4/x")).startsWith("http/1.1 200").contains("tenant: other");
			assertThat(tenants.raw("GET /tenants/t4/x")).startsWith("http/1.1 429");
		}
	}

	@ParameterizedTest
	@CsvSource({ "/tenants/ada%40example.org/x, ada@example.org", "/tenants/J%C3%BCrgen/x, Jürgen",
			"/tenants/acme;jsessionid=1/x, acme", "/tenants/a%20b/x, a b" })
	void spellingOfOneNameIsOneKey(String path, String tenant) {
		try (TestServer tenants = TestServer.start(Application.class, "p: 9 per 1d; key=pathVariable('tenant')",
				"/tenants/{tenant}/** -> p")) {
			tenants.raw("GET " + path);
			assertThat(tenants.limiter().peek("p", tenant).remaining()).isEqualTo(8);
			assertThat(tenants.limiter().policy("p").keys()).isEqualTo(1);
		}
	}

	@Test
	void whatOnlyLooksLikeAPreflightCountsAtAnotherServlet() {
		String[] preflight = { "Origin: https://example.org", "Access-Control-Request-Method: GET" };
		assertThat(server.raw("OPTIONS /app/plain/login", preflight)).contains("ratelimit:");
		assertThat(server.raw("OPTIONS /app/login", preflight)).doesNotContain("ratelimit:");
	}

	@Test
	void pathsAreRelativeToTheServletAsSpringMvcsMappingsAre() {
		try (TestServer prefixed = TestServer.start(Application.class, with("spring.mvc.servlet.path=/api"))) {
			assertThat(prefixed.raw("GET /api/login")).startsWith("http/1.1 200").contains("ratelimit:");
			assertThat(prefixed.raw("GET /api;a=b/login")).startsWith("http/1.1 500").contains("ratelimit:");
			assertThat(prefixed.raw("GET /login")).doesNotContain("ratelimit:");
		}
	}

	@Test
	void caseMattersOnlyIfItDoesToSpringMvc() {
		try (TestServer relaxed = TestServer.start(CaseInsensitive.class, RULES)) {
			assertThat(relaxed.raw("GET /LoGiN")).startsWith("http/1.1 200").contains("ratelimit:");
		}
	}

	@Test
	void aTrailingSlashThatAFilterTakesAwayIsNoWayAroundARule() {
		try (TestServer server = TestServer.start(TrailingSlash.class, RULES)) {
			assertThat(server.raw("GET /login/")).startsWith("http/1.1 200").contains("ratelimit:");
			assertThat(server.raw("GET /login")).startsWith("http/1.1 200").contains("ratelimit:");
		}
	}

	@Test
	void contextAndServletPathsAddUp() {
		try (TestServer nested = TestServer.start(Application.class,
				with("spring.mvc.servlet.path=/api", "server.servlet.context-path=/app"))) {
			assertThat(nested.raw("GET /app/api/login")).startsWith("http/1.1 200").contains("ratelimit:");
			assertThat(nested.raw("GET /app/login")).doesNotContain("http/1.1 200").doesNotContain("ratelimit:");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/app/x%2Flogin", "/app/%2Flogin", "/app/x%2F..%2Flogin", "/app/login%2F", "/app/login%5C",
			"/app/login%00", "/app/..;/login", "/app/%2e%2e/app/login%zz", "/app/login%", "*" })
	void whatTheServerOrSpringMvcRefusesIsNotServedEither(String path) {
		assertThat(server.raw("GET " + path)).doesNotContain("http/1.1 200").doesNotContain("ratelimit:");
	}

	private static String[] with(String... more) {
		return TestServer.with(RULES, more);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class Application {

		@Bean
		ServletRegistrationBean<?> plainServlet() {
			return Registrations.servlet("/plain/*", (request, response) -> {
				if ("/login".equals(request.getPathInfo())) {
					response.setHeader("Plain", "yes");
				}
				else {
					response.sendError(404);
				}
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class CaseInsensitive implements WebMvcConfigurer {

		@Override
		public void configurePathMatch(PathMatchConfigurer configurer) {
			PathPatternParser parser = new PathPatternParser();
			parser.setCaseSensitive(false);
			configurer.setPatternParser(parser);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class TrailingSlash {

		@Bean
		FilterRegistrationBean<UrlHandlerFilter> trailingSlash() {
			FilterRegistrationBean<UrlHandlerFilter> registration = new FilterRegistrationBean<>(
					UrlHandlerFilter.trailingSlashHandler("/**").wrapRequest().build());
			registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return registration;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Files implements WebMvcConfigurer {

		@Override
		public void addResourceHandlers(ResourceHandlerRegistry registry) {
			registry.addResourceHandler("/files/**").addResourceLocations("classpath:/files/");
		}

	}

	@RestController
	static class Controller {

		@GetMapping("/login")
		String login() {
			return "login";
		}

		@GetMapping("/tenants/{tenant}/**")
		void tenant(@PathVariable String tenant, HttpServletResponse response) {
			response.setHeader("Tenant", tenant);
		}

	}

}
