package io.github.ratelimit.integration.documentation;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.integration.documentation.given.Given;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page about the core has a program. It prints what the page says where there is
 * nothing but the core, Caffeine and a log.
 */
class CorePageTests {

	private static final List<Snippet> SNIPPETS = Snippet.of(Snippet.ROOT.resolve("docs").resolve("core.md"));

	@TempDir
	Path classes;

	@Test
	void theProgramRunsWithNothingButTheCoreAndCaffeine() throws Exception {
		assertThat(new SnippetCompiler(this.classes).compile(snippet("java"))).isEmpty();
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-cp", classPath(), Given.class.getPackageName() + ".Downloads")
			.redirectErrorStream(true)
			.start();
		String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(printed.lines()).containsExactlyElementsOf(snippet("").text().lines().toList());
		assertThat(process.waitFor()).isZero();
	}

	private static Snippet snippet(String language) {
		return SNIPPETS.stream().filter((each) -> each.language().equals(language)).findFirst().orElseThrow();
	}

	private String classPath() {
		return Stream
			.concat(Stream.of(this.classes),
					Stream.of(RateLimiter.class, Caffeine.class, LogFactory.class).map(CorePageTests::location))
			.map(Path::toString)
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static Path location(Class<?> type) {
		try {
			return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
