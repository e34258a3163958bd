package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.github.ratelimit.testserver.Content;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.Target;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that is served under a rule's pattern counts, whatever the spelling of its path, on
 * the server that is on the class path. Random, with a fixed seed:
 * {@code -Dfuzz.requests} sends more requests, {@code -Dfuzz.seed} sends others.
 */
public abstract class PathsTests {

	private static final int REQUESTS = Integer.getInteger("fuzz.requests", 3_000);

	private static final long SEED = Long.getLong("fuzz.seed", 20_261);

	/**
	 * Beside its own path, whatever the seed: two of 3,000 requests, and none of a few.
	 */
	private static final int LEAST_SPELLINGS = Math.min(2, REQUESTS / 1_500);

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

	@Test
	void countsWhatIsServed() throws IOException {
		fuzz(Content.targets(), Target::path, Map.of());
	}

	@Test
	void countsWhatIsServedBelowAContextPath() throws IOException {
		fuzz(Content.targets(), (target) -> "/app" + target.path(), Map.of(Stack.CURRENT.basePathProperty(), "/app"));
	}

	@Test
	void countsWhatIsServedIfTheServerLetsEverythingIn() throws IOException {
		fuzz(Content.targets(), Target::path, Map.of(), lenient());
	}

	@Test
	void countsWhatIsServedIfCaseDoesNotMatter() throws IOException {
		fuzz(Content.targets(), Target::path, Map.of(), lenient(), Stack.part("CaseInsensitive"));
	}

	@Test
	void countsWhatIsServedUnderAStaticPathPattern() throws IOException {
		fuzz(without("welcome"), Target::path, Map.of(Stack.CURRENT.staticPathProperty(), "/downloads/**",
				"spring.web.resources.static-locations", "classpath:/static/downloads/"), lenient());
	}

	void fuzz(List<Target> targets, Function<Target, String> paths, Map<String, Object> properties,
			Class<?>... configurations) throws IOException {
		List<Class<?>> sources = new ArrayList<>(List.of(PathsApplication.class, Stack.part("Paths")));
		sources.addAll(Arrays.asList(configurations));
		Map<String, Object> all = new LinkedHashMap<>(Content.rules(targets));
		all.put("paths.directory", directory);
		all.put("logging.level.root", "off");
		all.putAll(properties);
		try (TestServer server = TestServer.start(sources,
				all.entrySet().stream().map((each) -> each.getKey() + "=" + each.getValue()).toArray(String[]::new));
				RawClient client = new RawClient(server.port())) {
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

	static List<Target> without(String name) {
		return Content.targets().stream().filter((target) -> !target.name().equals(name)).toList();
	}

}
