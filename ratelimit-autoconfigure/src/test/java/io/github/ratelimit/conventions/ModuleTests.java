package io.github.ratelimit.conventions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds for our modules, as jar files and as modules of Java.
 */
class ModuleTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern SOURCE = Pattern
		.compile("(.+)/src/(?:main|test)/(?:java|kotlin)/(.+)/\\w+\\.(?:java|kt)");

	@Test
	void noPackageIsInTwoModules() throws IOException {
		Map<String, Set<String>> modules = new TreeMap<>();
		for (Path module : modules(ROOT)) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src"))) {
				files.map((file) -> SOURCE.matcher(ROOT.relativize(file).toString().replace('\\', '/')))
					.filter(Matcher::matches)
					.forEach((source) -> modules.computeIfAbsent(source.group(2), (absent) -> new TreeSet<>())
						.add(source.group(1)));
			}
		}
		assertThat(modules).hasSizeGreaterThan(30);
		assertThat(modules.entrySet()).filteredOn((each) -> each.getValue().size() > 1).isEmpty();
	}

	/* Those that have sources of their own. */
	private static List<Path> modules(Path root) throws IOException {
		try (Stream<Path> files = Files.walk(root, 3)) {
			return files.filter((file) -> file.endsWith("pom.xml"))
				.map(Path::getParent)
				.filter((module) -> Files.isDirectory(module.resolve("src")))
				.map(root::relativize)
				.toList();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "core", "redis", "autoconfigure", "starter", "test" })
	void aJarFileHasANameAsAModule(String module) throws IOException {
		assertThat(Files.readString(ROOT.resolve("ratelimit-" + module).resolve("pom.xml")))
			.contains("<Automatic-Module-Name>io.github.ratelimit." + module + "</Automatic-Module-Name>");
	}

}
