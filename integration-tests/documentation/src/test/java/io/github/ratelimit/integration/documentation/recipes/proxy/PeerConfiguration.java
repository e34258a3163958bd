package io.github.ratelimit.integration.documentation.recipes.proxy;

import java.io.IOException;

import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Lets a test choose the address that a connection comes from.
 */
@Configuration(proxyBeanMethods = false)
class PeerConfiguration {

	static final String PEER = "Test-Peer";

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> peer() {
		return (factory) -> factory.addEngineValves(new PeerValve());
	}

	private static final class PeerValve extends ValveBase {

		PeerValve() {
			super(true);
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			request.setRemoteAddr(request.getHeader(PEER));
			getNext().invoke(request, response);
		}

	}

}
