package io.github.ratelimit.integration.documentation;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.sun.source.util.JavacTask;

import io.github.ratelimit.integration.documentation.given.Given;

/**
 * Compiles the Java snippets of a page, of which each sees the types of those before it.
 * A snippet is what it parses as: types, members of a class, annotations of a method, or
 * statements. It need not import what is in our packages and those of {@link #IMPORTS},
 * it may use the types beside {@link Given} and, unless it declares a type, the fields of
 * {@link Given}. Three dots between braces, or on a line of their own at a method's end,
 * stand for code that was left out. An opening brace at a snippet's end is closed. The
 * snippets about tests and about the core are copied as a whole, and import all that they
 * use.
 */
final class SnippetCompiler {

	private static final String PACKAGE = Given.class.getPackageName();

	private static final Set<Path> WITH_IMPORTS = Set.of(Path.of("docs", "testing.md"), Path.of("docs", "core.md"));

	private static final List<String> IMPORTS = List.of("jakarta.servlet", "jakarta.servlet.http", "java.io",
			"java.lang.annotation", "java.net", "java.net.http", "java.time", "java.util", "java.util.concurrent",
			"java.util.concurrent.atomic", "java.util.function", "org.jspecify.annotations", "org.junit.jupiter.api",
			"org.springframework.ai.chat.client", "org.springframework.beans.factory.annotation",
			"org.springframework.boot", "org.springframework.boot.autoconfigure",
			"org.springframework.boot.context.properties",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet",
			"org.springframework.boot.test.context", "org.springframework.boot.test.web.server",
			"org.springframework.boot.webmvc.test.autoconfigure", "org.springframework.cache.annotation",
			"org.springframework.context.annotation", "org.springframework.core.annotation", "org.springframework.http",
			"org.springframework.http.server.reactive", "org.springframework.kafka.annotation",
			"org.springframework.scheduling.annotation", "org.springframework.security.config",
			"org.springframework.security.config.annotation.web.builders", "org.springframework.security.core",
			"org.springframework.security.web", "org.springframework.security.web.authentication",
			"org.springframework.security.web.authentication.www", "org.springframework.stereotype",
			"org.springframework.test.context", "org.springframework.test.web.servlet",
			"org.springframework.test.web.servlet.assertj", "org.springframework.test.web.servlet.client",
			"org.springframework.ui", "org.springframework.web.bind.annotation", "org.springframework.web.client",
			"org.springframework.web.cors", "org.springframework.web.multipart",
			"org.springframework.web.reactive.function.server", "org.springframework.web.servlet",
			"org.springframework.web.servlet.config.annotation", "reactor.core.publisher", "reactor.core.scheduler");

	private static final List<String> OUR_PACKAGES = Stream
		.of("ratelimit-core/src/main/java", "ratelimit-redis/src/main/java", "ratelimit-autoconfigure/src/main/java",
				"ratelimit-spring-ai/src/main/java", "ratelimit-test/src/main/java", "ratelimit-core/src/test/java")
		.map(Snippet.ROOT::resolve)
		.flatMap(SnippetCompiler::packages)
		.toList();

	/* Names that more than one of these packages has. */
	private static final String PREFERRED = "import java.net.http.HttpRequest;import org.springframework.core.annotation.Order;"
			+ "import org.springframework.http.ResponseEntity;";

	private static final List<String> STATIC_IMPORTS = List.of("io.github.ratelimit.RateLimitAlgorithm",
			"java.lang.annotation.ElementType", "java.lang.annotation.RetentionPolicy",
			"org.assertj.core.api.Assertions");

	private static final Pattern PUBLIC_TYPE = Pattern
		.compile("(?m)^public (?:final )?(?:class|interface|record|enum|@interface) (\\w+)");

	private static final String LEFT_OUT = "throw new UnsupportedOperationException();";

	private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

	private static final JavaFileManager FILES = JAVAC.getStandardFileManager(null, null, null);

	private final Path classes;

	SnippetCompiler(Path classes) {
		this.classes = classes;
	}

	/**
	 * Compiles a snippet.
	 * @return the errors, each with page and line; empty if there are none
	 */
	String compile(Snippet snippet) {
		String type = "Snippet" + snippet.line();
		String body = snippet.text()
			.replaceAll("\\{ \\.\\.\\. }", "{ " + LEFT_OUT + " }")
			.replaceAll("(?m)^\\s*\\.\\.\\.$", LEFT_OUT)
			.replaceAll("\\{\\s*$", "{ }");
		String imports = body.lines().filter((line) -> line.startsWith("import ")).collect(Collectors.joining());
		body = body.replaceAll("(?m)^import .*$", "");
		String head = "package " + PACKAGE + ";" + imports + (WITH_IMPORTS.contains(snippet.page()) ? "" : implied());
		Matcher publicType = PUBLIC_TYPE.matcher(body);
		String before = head + "class " + type + " extends Given {";
		Source source = Stream
			.of(new Source(publicType.find() ? publicType.group(1) : type, head + "\n" + body),
					new Source(type, before + "\n" + body + "\n}"),
					new Source(type, before + "\n" + body + " void annotated() { }\n}"),
					new Source(type, before + "void statements() throws Exception {\n" + body + "\n}}"))
			.filter(SnippetCompiler::parses)
			.findFirst()
			.orElse(new Source(type, before + "\n" + body + "\n}"));
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
		task(source, this.classes, diagnostics).call();
		return describe(snippet, diagnostics);
	}

	private static String implied() {
		return PREFERRED
				+ Stream.concat(OUR_PACKAGES.stream(), IMPORTS.stream())
					.map((name) -> "import " + name + ".*;")
					.collect(Collectors.joining())
				+ STATIC_IMPORTS.stream().map((name) -> "import static " + name + ".*;").collect(Collectors.joining());
	}

	private static boolean parses(Source source) {
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
		try {
			task(source, Path.of(""), diagnostics).parse();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return diagnostics.getDiagnostics().isEmpty();
	}

	private static JavacTask task(Source source, Path classes, DiagnosticCollector<JavaFileObject> diagnostics) {
		String classPath = classes + System.getProperty("path.separator") + System.getProperty("java.class.path");
		return (JavacTask) JAVAC.getTask(
				null, FILES, diagnostics, List.of("--release", "17", "-parameters", "-proc:none",
						"-Xlint:deprecation,removal,unchecked", "-d", classes.toString(), "-cp", classPath),
				null, List.of(source));
	}

	private static String describe(Snippet snippet, DiagnosticCollector<JavaFileObject> diagnostics) {
		return diagnostics.getDiagnostics()
			.stream()
			.map((diagnostic) -> snippet.page() + ":" + line(snippet, diagnostic) + ": "
					+ diagnostic.getMessage(Locale.ROOT))
			.collect(Collectors.joining("\n"));
	}

	/*
	 * The snippet begins in the second line of what is compiled.
	 */
	private static long line(Snippet snippet, Diagnostic<?> diagnostic) {
		return snippet.line() + Math.max(0, diagnostic.getLineNumber() - 2);
	}

	private static Stream<String> packages(Path sources) {
		try (Stream<Path> files = Files.walk(sources)) {
			return files.filter((file) -> file.endsWith("package-info.java"))
				.map((file) -> sources.relativize(file.getParent()).toString().replace(File.separatorChar, '.'))
				.toList()
				.stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Path newFolder(Path parent, Path page) {
		try {
			return Files.createDirectories(parent.resolve(page));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		Source(String type, String text) {
			super(URI.create("string:///" + type + ".java"), Kind.SOURCE);
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

}
