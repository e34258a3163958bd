package io.github.ratelimit.integration.jetty;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.TestServer;
import org.eclipse.jetty.server.Response;
import org.junit.jupiter.api.Test;

import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients of other servlets on Jetty see what clients of Tomcat see.
 */
class JettyServletsTests {

	@Test
	void tomcatIsNotThereButJettyIs() {
		assertThat(ClassUtils.isPresent("org.apache.catalina.connector.Response", getClass().getClassLoader()))
			.isFalse();
		assertThat(ClassUtils.isPresent(Response.class.getName(), getClass().getClassLoader())).isTrue();
	}

	@Test
	void anotherServletIsLimitedAndWaitedFor() {
		try (TestServer server = TestServer.start(Application.class, "once: 1 per 1d",
				"soon: 20 per 1s; algorithm=leaky-bucket; burst=20", "/servlet/once -> once",
				"/servlet/soon -> soon")) {
			server.get("/servlet/once")
				.is(200, "RateLimit-Policy: \"once\";q=1;w=86400", "RateLimit: \"once\";r=0;t=86400",
						"X-RateLimit-Limit: 1", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 86400", "Retry-After:");
			Answer rejected = server.get("/servlet/once")
				.is(429, "Content-Type: application/problem+json", "Retry-After: 86400");
			assertThat(rejected.body()).contains("\"violated-policies\":[\"once\"]");
			for (int i = 0; i < 3; i++) {
				assertThat(server.get("/servlet/soon").is(200).body()).isEqualTo("soon");
			}
			assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(2);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		ServletRegistrationBean<?> servlet() {
			return Registrations.servlet("/servlet/*",
					(request, response) -> response.getWriter().write(request.getPathInfo().substring(1)));
		}

	}

}
