package io.github.ratelimit.integration.suite;

import org.apache.tomcat.util.buf.EncodedSolidusHandling;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The paths that Tomcat lets in.
 */
class TomcatPathsTests extends ServletPathsTests {

	@Override
	protected Class<?> lenient() {
		return Lenient.class;
	}

	@Configuration(proxyBeanMethods = false)
	static class Lenient {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> lenientTomcat() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> {
				connector.setAllowBackslash(true);
				connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
				connector.setProperty("relaxedPathChars", "\\\"<>[]^`{|}");
				connector.setProperty("relaxedQueryChars", "\\\"<>[]^`{|}");
			});
		}

	}

}
