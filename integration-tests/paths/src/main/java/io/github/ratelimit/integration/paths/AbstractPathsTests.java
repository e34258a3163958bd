package io.github.ratelimit.integration.paths;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.DefaultServletHandlerConfigurer;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that is served under a rule's pattern counts, whatever the spelling of its path, on
 * the server that is on the class path. Random, with a fixed seed:
 * {@code -Dratelimit.fuzz.requests} sends more requests, {@code -Dratelimit.fuzz.seed}
 * sends others.
 */
public abstract class AbstractPathsTests {

	private static final int REQUESTS = Integer.getInteger("ratelimit.fuzz.requests", 3_000);

	private static final long SEED = Long.getLong("ratelimit.fuzz.seed", 20_261);

	/** Beside its own path, whatever the seed. */
	private static final int LEAST_SPELLINGS = 2;

	@TempDir
	private static Path directory;

	@BeforeAll
	static void write() throws IOException {
		Content.write(directory);
	}

	/**
	 * Configures the server to accept all that it can accept.
	 * @return a configuration
	 */
	protected abstract Class<?> lenient();

	/**
	 * The bean that makes the server.
	 * @return its name
	 */
	protected abstract String serverFactory();

	@Test
	void countsWhatIsServed() throws IOException {
		fuzz(Content.targets(), Target::path, Map.of());
	}

	@Test
	void countsWhatIsServedBelowAContextPath() throws IOException {
		fuzz(Content.targets(), (target) -> "/app" + target.path(), Map.of("server.servlet.context-path", "/app"));
	}

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
	void countsWhatIsServedIfTheServerLetsEverythingIn() throws IOException {
		fuzz(Content.targets(), Target::path, Map.of(), lenient());
	}

	@Test
	void countsWhatIsServedIfCaseDoesNotMatter() throws IOException {
		fuzz(Content.targets(), Target::path, Map.of(), lenient(), CaseInsensitive.class);
	}

	@Test
	void countsWhatIsServedUnderAStaticPathPattern() throws IOException {
		fuzz(without("welcome"), Target::path, Map.of("spring.mvc.static-path-pattern", "/downloads/**",
				"spring.web.resources.static-locations", "classpath:/static/downloads/"), lenient());
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

	private void fuzz(List<Target> targets, Function<Target, String> paths, Map<String, Object> properties,
			Class<?>... configurations) throws IOException {
		List<Class<?>> sources = new ArrayList<>(List.of(PathsApplication.class));
		sources.addAll(Arrays.asList(configurations));
		Map<String, Object> all = new LinkedHashMap<>(Content.rules(targets));
		all.putAll(Map.of("paths.directory", directory.toString(), "server.port", 0, "server.address", "127.0.0.1",
				"spring.main.banner-mode", "off", "logging.level.root", "off"));
		all.putAll(properties);
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
			.properties(all)
			.run();
				RawClient client = new RawClient(
						Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port")))) {
			assertThat(context.containsBean(serverFactory())).isTrue();
			run(new PathFuzzer(client, targets, paths));
		}
	}

	private static void run(PathFuzzer fuzzer) throws IOException {
		PathFuzzer.Findings findings = fuzzer.run(SEED, REQUESTS);
		assertThat(findings.uncounted()).as("with the seed %d, %d requests", SEED, REQUESTS).isEmpty();
		findings.served()
			.forEach((name, spellings) -> assertThat(spellings).as("spellings of %s", name)
				.hasSizeGreaterThan(LEAST_SPELLINGS));
		assertThat(findings.served().keySet()).containsExactlyInAnyOrderElementsOf(fuzzer.names());
	}

	private static List<Target> without(String name) {
		return Content.targets().stream().filter((target) -> !target.name().equals(name)).toList();
	}

	private static Map<String, Object> with(Map<String, Object> properties, String name, Object value) {
		Map<String, Object> more = new HashMap<>(properties);
		more.put(name, value);
		return more;
	}

	@Configuration(proxyBeanMethods = false)
	static class CaseInsensitive implements WebMvcConfigurer {

		@Override
		public void configurePathMatch(PathMatchConfigurer configurer) {
			PathPatternParser parser = new PathPatternParser();
			parser.setCaseSensitive(false);
			configurer.setPatternParser(parser);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DefaultServlet implements WebMvcConfigurer {

		@Override
		public void configureDefaultServletHandling(DefaultServletHandlerConfigurer configurer) {
			configurer.enable();
		}

	}

}
