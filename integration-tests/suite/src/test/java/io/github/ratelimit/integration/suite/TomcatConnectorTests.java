package io.github.ratelimit.integration.suite;

import java.util.List;

import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.apache.catalina.connector.Connector;
import org.junit.jupiter.api.Test;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A second port of the application's own server, which an application may add to Tomcat.
 */
class TomcatConnectorTests {

	@Test
	void rulesAndAnnotationsHoldOnBothPortsTogether() {
		try (TestServer server = TestServer.start(List.of(Handlers.class, SecondPort.class),
				"api: 3 per 1h; key=clientAddress", "/ruled -> api")) {
			int second = server.bean(SecondPort.class).connector.getLocalPort();
			assertThat(second).isPositive().isNotEqualTo(server.port());
			TestServer.get(second, "/ruled").is(200, "X-RateLimit-Remaining: 2");
			server.get("/ruled").is(200, "X-RateLimit-Remaining: 1");
			TestServer.get(second, "/ruled").is(200, "X-RateLimit-Remaining: 0");
			TestServer.get(second, "/ruled").is(429);
			server.get("/ruled").is(429);
			TestServer.get(second, "/annotated").is(200);
			server.get("/annotated").is(429);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class SecondPort {

		private final Connector connector = new Connector();

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> secondPort() {
			return (factory) -> {
				this.connector.setPort(0);
				this.connector.setProperty("address", "127.0.0.1");
				factory.addAdditionalConnectors(this.connector);
			};
		}

	}

}
