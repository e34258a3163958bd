package io.github.ratelimit.integration.documentation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What somebody can compile against changes only knowingly: each module has a file that
 * lists its public types with what is public or protected in them, as {@code javap}
 * prints it.
 */
class PublicSurfaceTests {

	private static final boolean WRITE = Boolean.getBoolean("ratelimit.surface.write");

	private static final Pattern TYPE = Pattern.compile("public .*?(?:class|interface) (io\\.github\\.[\\w.$]+).* \\{");

	/* Tests of the core use it, and users have the rest of the package. */
	private static final String ONLY_OF_OURS = "HashMapRateLimitStore";

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit-core", "ratelimit-redis", "ratelimit-autoconfigure", "ratelimit-spring-ai",
			"ratelimit-test" })
	void whatIsPublicIsListed(String module) throws IOException {
		SortedMap<String, List<String>> surface = surface(module);
		assertThat(surface).isNotEmpty();
		String text = text(surface);
		Path list = Snippet.ROOT.resolve(module).resolve("public-surface.txt");
		if (WRITE) {
			Files.writeString(list, text);
		}
		assertThat(list)
			.as("What is public in %s has changed. If that is meant, say so in CHANGELOG.md, and write the list anew as "
					+ "CONTRIBUTING.md says.", module)
			.content()
			.isEqualTo(text);
	}

	/* By the name of a type, its declaration and then its members. */
	private static SortedMap<String, List<String>> surface(String module) throws IOException {
		SortedMap<String, List<String>> types = new TreeMap<>();
		List<String> lines = new ArrayList<>();
		for (String line : printed(classes(module))) {
			if (line.endsWith("{")) {
				lines = new ArrayList<>(List.of(line));
				Matcher type = TYPE.matcher(line);
				if (type.matches()) {
					types.put(type.group(1), lines);
				}
			}
			else if (line.startsWith("  ")) {
				lines.add(line);
			}
		}
		types.keySet().removeIf((name) -> !types.keySet().containsAll(enclosing(name)));
		return types;
	}

	private static List<String> enclosing(String type) {
		List<String> enclosing = new ArrayList<>();
		for (int end = type.lastIndexOf('$'); end > 0; end = type.lastIndexOf('$', end - 1)) {
			enclosing.add(type.substring(0, end));
		}
		return enclosing;
	}

	private static List<String> printed(List<String> classes) {
		List<String> arguments = new ArrayList<>(List.of("-protected", "-constants"));
		arguments.addAll(classes);
		ByteArrayOutputStream output = new ByteArrayOutputStream();
		PrintStream stream = new PrintStream(output, true, StandardCharsets.UTF_8);
		int status = ToolProvider.findFirst("javap")
			.orElseThrow()
			.run(stream, stream, arguments.toArray(String[]::new));
		String text = output.toString(StandardCharsets.UTF_8);
		assertThat(status).as(text).isZero();
		return text.lines().toList();
	}

	private static List<String> classes(String module) throws IOException {
		List<String> classes = new ArrayList<>(below(Snippet.ROOT.resolve(module).resolve("target/classes")));
		if (module.equals("ratelimit-test")) {
			classes.addAll(below(Snippet.ROOT.resolve("ratelimit-core/target/test-classes/io/github/ratelimit/test")));
		}
		return classes;
	}

	private static List<String> below(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.map(Path::toString)
				.filter((file) -> file.endsWith(".class") && !file.contains(ONLY_OF_OURS))
				.toList();
		}
	}

	private static String text(SortedMap<String, List<String>> surface) {
		StringBuilder text = new StringBuilder();
		for (List<String> lines : surface.values()) {
			text.append(lines.get(0)).append('\n');
			lines.stream().skip(1).sorted().forEach((member) -> text.append(member).append('\n'));
			text.append('\n');
		}
		return text.toString();
	}

}
