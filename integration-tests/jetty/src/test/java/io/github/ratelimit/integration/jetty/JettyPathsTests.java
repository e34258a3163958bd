package io.github.ratelimit.integration.jetty;

import io.github.ratelimit.integration.suite.ServletPathsTests;
import org.eclipse.jetty.ee11.servlet.ServletHandler;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;

import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The paths that Jetty lets in.
 */
class JettyPathsTests extends ServletPathsTests {

	@Override
	protected Class<?> lenient() {
		return Lenient.class;
	}

	@Configuration(proxyBeanMethods = false)
	static class Lenient {

		@Bean
		WebServerFactoryCustomizer<JettyServletWebServerFactory> lenientJetty() {
			return (factory) -> factory.addServerCustomizers(Lenient::letEverythingIn);
		}

		private static void letEverythingIn(Server server) {
			for (Connector connector : server.getConnectors()) {
				connector.getConnectionFactories()
					.stream()
					.filter(HttpConfiguration.ConnectionFactory.class::isInstance)
					.map(HttpConfiguration.ConnectionFactory.class::cast)
					.forEach((factory) -> factory.getHttpConfiguration().setUriCompliance(UriCompliance.UNSAFE));
			}
			server.getDescendants(ServletHandler.class).forEach((handler) -> handler.setDecodeAmbiguousURIs(true));
		}

	}

}
