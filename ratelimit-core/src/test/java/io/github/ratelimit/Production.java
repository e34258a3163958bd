package io.github.ratelimit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/**
 * The classes that users get, for tests that read them instead of running them.
 */
public final class Production {

	/** The package that everything is in. */
	public static final String ROOT = Production.class.getPackageName();

	private static final List<String> MODULES = List.of("core", "redis", "autoconfigure");

	/*
	 * A module that was packaged is there as a jar file, and so is what its tests share.
	 */
	private static final Pattern CLASSES_OF_USERS = Pattern.compile(".*/target/classes/.*|.*/ratelimit-(?:"
			+ String.join("|", MODULES) + ")-(?!.*-(?:tests|contract)\\.jar).*");

	/** All classes of this module and of those that it knows, but those of tests. */
	public static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption((location) -> location.matches(CLASSES_OF_USERS))
		.importPackages(ROOT);

	private Production() {
	}

	/**
	 * The packages of this module.
	 * @return their names, without the root's
	 */
	static Set<String> ownPackages() {
		return new ClassFileImporter().importPath(Path.of("target", "classes"))
			.stream()
			.map((type) -> type.getPackageName().substring(ROOT.length()))
			.collect(Collectors.toSet());
	}

	/**
	 * Where the sources of a module are.
	 * @param module its name, such as core
	 * @return a directory
	 */
	public static Path sources(String module) {
		return Path.of("..", "ratelimit-" + module, "src", "main", "java");
	}

	/**
	 * The source files of all modules.
	 * @return the files
	 */
	public static Stream<Path> sources() {
		return MODULES.stream().flatMap((module) -> files(sources(module)).stream());
	}

	private static List<Path> files(Path directory) {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter(Files::isRegularFile).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
