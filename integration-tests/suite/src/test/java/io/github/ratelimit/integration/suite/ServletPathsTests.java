package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.testserver.Content;
import io.github.ratelimit.testserver.Target;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.DefaultServletHandlerConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * The paths of Spring MVC's servlet and of the server's own.
 */
public abstract class ServletPathsTests extends PathsTests {

	@Test
	void countsWhatIsServedBelowAServletPath() throws IOException {
		fuzz(Content.targets(), (target) -> (target.ofDispatcher() ? "/api" : "") + target.path(),
				Map.of("spring.mvc.servlet.path", "/api"), lenient());
	}

	/*
	 * Spring MVC cannot nest routes below both.
	 */
	@Test
	void countsWhatIsServedBelowAContextPathAndAServletPath() throws IOException {
		fuzz(without("nestedroute"), (target) -> "/app" + (target.ofDispatcher() ? "/api" : "") + target.path(),
				Map.of("server.servlet.context-path", "/app", "spring.mvc.servlet.path", "/api"));
	}

	@Test
	void countsWhatTheServersOwnServletServes() throws IOException {
		Target target = Target.of("servletcontext", "/public/big.txt", "/public/**", "/public/{name}");
		Map<String, Object> properties = new HashMap<>(
				Map.of("server.servlet.register-default-servlet", true, "spring.web.resources.add-mappings", false));
		fuzz(List.of(target), Target::path, properties, lenient(), DefaultServlet.class);
		fuzz(List.of(target), (served) -> "/app" + served.path(),
				with(properties, "server.servlet.context-path", "/app"), DefaultServlet.class);
	}

	private static Map<String, Object> with(Map<String, Object> properties, String name, Object value) {
		Map<String, Object> more = new HashMap<>(properties);
		more.put(name, value);
		return more;
	}

	@Configuration(proxyBeanMethods = false)
	static class DefaultServlet implements WebMvcConfigurer {

		@Override
		public void configureDefaultServletHandling(DefaultServletHandlerConfigurer configurer) {
			configurer.enable();
		}

	}

}
