package io.github.ratelimit.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A class path without some of the libraries, so that a class that needs them cannot even
 * be linked.
 */
final class FilteredClassPath {

	private static final List<String> WHOLE = List.of(System.getProperty("java.class.path").split(File.pathSeparator));

	private final Predicate<String> libraries;

	private FilteredClassPath(Predicate<String> libraries) {
		this.libraries = libraries;
	}

	static FilteredClassPath without(String libraries) {
		FilteredClassPath filtered = new FilteredClassPath(Pattern.compile(libraries).asPredicate().negate());
		assertThat(filtered.entries()).as("class path without %s", libraries).hasSizeLessThan(WHOLE.size());
		return filtered;
	}

	static FilteredClassPath of(String libraries) {
		return new FilteredClassPath(Pattern.compile(libraries).asPredicate());
	}

	/**
	 * Runs the program as if this were all that there is.
	 * @return everything that it printed
	 */
	String run(Class<?> program, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-cp", String.join(File.pathSeparator, entries()), program.getName()));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
	}

	private List<String> entries() {
		return WHOLE.stream().filter((entry) -> this.libraries.test(artifact(Path.of(entry)))).toList();
	}

	/*
	 * A module that was not packaged yet is there with its classes.
	 */
	private static String artifact(Path entry) {
		if (entry.endsWith(Path.of("target", "classes")) || entry.endsWith(Path.of("target", "test-classes"))) {
			return entry.getParent().getParent().getFileName().toString();
		}
		return entry.getFileName().toString();
	}

}
