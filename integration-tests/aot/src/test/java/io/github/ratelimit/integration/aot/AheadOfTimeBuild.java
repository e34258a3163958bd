package io.github.ratelimit.integration.aot;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.logging.LogManager;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Builds the application ahead of time as Spring Boot's plug-ins do, and starts what was
 * made, in a class loader that has everything anew.
 */
final class AheadOfTimeBuild implements AutoCloseable {

	private static final String[] ALWAYS = { "--server.port=0", "--server.address=127.0.0.1",
			"--server.shutdown=immediate", "--spring.main.banner-mode=off", "--logging.level.root=warn" };

	/* Builds one application after the other. */
	private static final URLClassLoader BUILDER = new URLClassLoader(libraries(), ClassLoader.getPlatformClassLoader());

	private final Path directory;

	private final URLClassLoader classes;

	/**
	 * Builds the application.
	 * @param directory where to put what is made
	 * @param properties the properties that the application has while it is built
	 */
	AheadOfTimeBuild(Path directory, String... properties) throws Exception {
		this.directory = directory;
		List<String> arguments = new ArrayList<>(List.of(LimitedApplication.class.getName(), path("sources"),
				path("resources"), path("classes"), "io.github.ratelimit", "ratelimit-integration-aot"));
		arguments.addAll(arguments(properties));
		within(BUILDER,
				() -> BUILDER.loadClass("org.springframework.boot.SpringApplicationAotProcessor")
					.getMethod("main", String[].class)
					.invoke(null, (Object) arguments.toArray(String[]::new)));
		compile();
		this.classes = new URLClassLoader(Stream
			.concat(Stream.of(url(directory.resolve("classes")), url(directory.resolve("resources"))),
					Arrays.stream(libraries()))
			.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
	}

	/**
	 * Starts the application.
	 * @param properties the properties that it has while it runs
	 * @return what {@link Probe} reports
	 */
	@SuppressWarnings("unchecked")
	Map<String, String> start(String... properties) throws Exception {
		System.setProperty("spring.aot.enabled", "true");
		try {
			return within(this.classes,
					() -> ((Function<List<String>, Map<String, String>>) this.classes.loadClass(Probe.class.getName())
						.getDeclaredConstructor()
						.newInstance()).apply(arguments(properties)));
		}
		finally {
			System.clearProperty("spring.aot.enabled");
		}
	}

	/**
	 * What the application needs in a native image.
	 * @return the file that says so
	 */
	String hints() throws IOException {
		try (Stream<Path> files = Files.walk(this.directory.resolve("resources"))) {
			return Files
				.readString(
						files.filter((file) -> file.endsWith("reachability-metadata.json")).findFirst().orElseThrow())
				.replace("\\/", "/");
		}
	}

	private void compile() throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
				Stream<Path> files = Files.walk(this.directory.resolve("sources"))) {
			List<Path> sources = files.filter((file) -> file.toString().endsWith(".java")).toList();
			assertThat(sources).isNotEmpty();
			boolean compiled = compiler
				.getTask(null, manager, null,
						List.of("-proc:none", "-nowarn", "-parameters", "-d", path("classes"), "-cp",
								path("classes") + File.pathSeparator + System.getProperty("java.class.path")),
						null, manager.getJavaFileObjectsFromPaths(sources))
				.call();
			assertThat(compiled).isTrue();
		}
	}

	private String path(String name) throws IOException {
		return Files.createDirectories(this.directory.resolve(name)).toString();
	}

	private static List<String> arguments(String... properties) {
		return Stream.concat(Arrays.stream(ALWAYS), Arrays.stream(properties).map("--"::concat)).toList();
	}

	private static URL[] libraries() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map((entry) -> url(Path.of(entry)))
			.toArray(URL[]::new);
	}

	private static URL url(Path path) {
		try {
			return path.toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static <T> T within(ClassLoader loader, Callable<T> action) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader original = thread.getContextClassLoader();
		thread.setContextClassLoader(loader);
		try {
			return action.call();
		}
		finally {
			thread.setContextClassLoader(original);
		}
	}

	/*
	 * The platform's logging is the same for all class loaders, and one of them takes it.
	 */
	@Override
	public void close() throws IOException {
		LogManager.getLogManager().reset();
		this.classes.close();
	}

}
