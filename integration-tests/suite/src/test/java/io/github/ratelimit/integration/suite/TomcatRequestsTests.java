package io.github.ratelimit.integration.suite;

import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.apache.catalina.Container;
import org.apache.catalina.Engine;
import org.apache.catalina.Valve;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Test;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the end of requests is noticed on Tomcat.
 */
class TomcatRequestsTests {

	@Test
	void nothingMakesTomcatBuildAnEventOfEachAttribute() {
		try (TestServer server = TestServer.start(List.of(Handlers.class, Context.class),
				"api: 3 per 1h; charge=status", "/ruled -> api")) {
			Tomcat tomcat = tomcat(server);
			for (Container context : tomcat.getHost().findChildren()) {
				assertThat(((StandardContext) context).getApplicationEventListeners()).isEmpty();
			}
			assertThat(Stream.of(tomcat.getEngine().getPipeline().getValves()).map(Valve::getClass))
				.extracting(Class::getSimpleName)
				.contains("CompletedRequestsValve");
		}
	}

	@Test
	void theValveIsBehindTheOneThatSetsTheClientsAddress() {
		try (TestServer server = TestServer.start(List.of(Handlers.class, Context.class), "api: 3 per 1h",
				"/ruled -> api", "server.forward-headers-strategy=native", "server.tomcat.accesslog.enabled=true",
				"server.tomcat.accesslog.directory=target/accesslog")) {
			Engine engine = tomcat(server).getEngine();
			assertThat(Stream.of(engine.getPipeline().getValves()).map(Valve::getClass))
				.extracting(Class::getSimpleName)
				.containsSubsequence("RemoteIpValve", "CompletedRequestsValve", "StandardEngineValve");
		}
	}

	@Test
	void whatIsOutsideOfTheApplicationIsNotFoundAndNotSettled() {
		try (TestServer server = TestServer.start(Handlers.class, "api: 1000 per 1h; key='all'; charge=status",
				"/** -> api; cost=10", "server.servlet.context-path=/app")) {
			TestServer.get(server.port(), "/elsewhere").is(404);
			TestServer.get(server.port(), "/app/nowhere").is(404);
			server.awaitSettled("api");
			assertThat(server.limiter().policy("api").peek("all").remaining()).isEqualTo(1000 - 404);
		}
	}

	private static Tomcat tomcat(TestServer server) {
		return ((TomcatWebServer) server.bean(Context.class).application.getWebServer()).getTomcat();
	}

	@Component
	static class Context {

		private final WebServerApplicationContext application;

		Context(ApplicationContext application) {
			this.application = (WebServerApplicationContext) application;
		}

	}

}
