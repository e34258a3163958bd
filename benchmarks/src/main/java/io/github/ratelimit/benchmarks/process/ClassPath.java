package io.github.ratelimit.benchmarks.process;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The part of this process' class path that an application of its own would have: what
 * the other contenders need would make each of them start slower.
 */
public final class ClassPath {

	/** What the starters for Spring MVC and for WebFlux bring. */
	private static final Set<String> WEB_APPLICATION = Set.of("benchmarks", "commons-logging", "jackson-annotations",
			"jackson-core", "jackson-databind", "jakarta.annotation-api", "jspecify", "jul-to-slf4j", "log4j-api",
			"log4j-to-slf4j", "logback-classic", "logback-core", "micrometer-commons", "micrometer-observation",
			"slf4j-api", "snakeyaml", "spring-aop", "spring-beans", "spring-boot", "spring-boot-autoconfigure",
			"spring-boot-jackson", "spring-boot-web-server", "spring-context", "spring-core", "spring-expression",
			"spring-web");

	private static final Set<String> MVC = Set.of("spring-boot-http-converter", "spring-boot-servlet",
			"spring-boot-tomcat", "spring-boot-webmvc", "spring-webmvc", "tomcat-embed-core", "tomcat-embed-el",
			"tomcat-embed-websocket");

	private static final Set<String> WEBFLUX = Set.of("reactive-streams", "reactor-core", "reactor-netty-core",
			"reactor-netty-http", "spring-boot-http-codec", "spring-boot-netty", "spring-boot-reactor",
			"spring-boot-reactor-netty", "spring-boot-webflux", "spring-webflux");

	private final List<Path> entries;

	private ClassPath(Stream<Path> entries) {
		this.entries = entries.toList();
	}

	/**
	 * The class path of this process.
	 * @return the class path
	 */
	public static ClassPath own() {
		return new ClassPath(entries());
	}

	/**
	 * The class path of an application with Spring MVC, and of the benchmarks themselves.
	 * @param more the beginnings of the names of artifacts that it has beyond
	 * @return the class path
	 */
	public static ClassPath ofWebApplication(String... more) {
		return of(MVC, Stream.of(more));
	}

	/**
	 * The class path of an application with WebFlux on Netty, and of the benchmarks
	 * themselves.
	 * @param more the beginnings of the names of artifacts that it has beyond
	 * @return the class path
	 */
	public static ClassPath ofReactiveApplication(String... more) {
		return of(WEBFLUX, Stream.concat(Stream.of("netty-"), Stream.of(more)));
	}

	private static ClassPath of(Set<String> stack, Stream<String> more) {
		List<String> beginnings = more.toList();
		Predicate<String> wanted = (artifact) -> WEB_APPLICATION.contains(artifact) || stack.contains(artifact)
				|| beginnings.stream().anyMatch(artifact::startsWith);
		return new ClassPath(entries().filter((entry) -> !isOfTests(entry) && wanted.test(artifact(entry))));
	}

	private static Stream<Path> entries() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map((entry) -> Path.of(entry).toAbsolutePath());
	}

	/* No application has the Redis server that the benchmarks start. */
	private static boolean isOfTests(Path entry) {
		return entry.getFileName().toString().endsWith("-tests.jar");
	}

	/*
	 * A module that was not packaged yet is there with its classes.
	 */
	private static String artifact(Path entry) {
		return entry.endsWith(Path.of("target", "classes")) ? entry.getParent().getParent().getFileName().toString()
				: entry.getFileName().toString().replaceFirst("-\\d.*", "");
	}

	/**
	 * Finds where an artifact is.
	 * @param artifact its name, without a version
	 * @return a jar file, or a folder of classes
	 */
	public Path entry(String artifact) {
		return this.entries.stream()
			.filter((entry) -> artifact(entry).equals(artifact))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("Not on the class path: " + artifact));
	}

	/**
	 * Writes the class path as the {@code java} command wants it.
	 * @return the entries, separated as the system does
	 */
	@Override
	public String toString() {
		return this.entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
	}

}
