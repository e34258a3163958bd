package io.github.ratelimit.integration.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
 * A snippet is what it parses as: types, members of a class, or statements. It need not
 * import what is in the packages of {@link #IMPORTS}, it may use the types beside
 * {@link Given} and, unless it declares a type, the fields of {@link Given}. Three dots
 * between braces, or on a line of their own at a method's end, stand for code that was
 * left out.
 */
final class SnippetCompiler {

	private static final String PACKAGE = Given.class.getPackageName();

	private static final List<String> IMPORTS = List.of("io.github.ratelimit", "io.github.ratelimit.algorithm",
			"io.github.ratelimit.annotation", "io.github.ratelimit.autoconfigure", "io.github.ratelimit.expression",
			"io.github.ratelimit.store", "io.github.ratelimit.test", "io.github.ratelimit.web.servlet", "java.io",
			"java.lang.annotation", "java.net", "java.net.http", "java.time", "java.util", "java.util.concurrent",
			"java.util.concurrent.atomic", "java.util.function", "jakarta.servlet.http", "org.jspecify.annotations",
			"org.junit.jupiter.api", "org.springframework.beans.factory.annotation", "org.springframework.boot",
			"org.springframework.boot.autoconfigure", "org.springframework.boot.context.properties",
			"org.springframework.boot.test.context", "org.springframework.boot.test.web.server",
			"org.springframework.boot.webmvc.test.autoconfigure", "org.springframework.context.annotation",
			"org.springframework.core.annotation", "org.springframework.http", "org.springframework.kafka.annotation",
			"org.springframework.scheduling.annotation", "org.springframework.security.config.annotation.web.builders",
			"org.springframework.security.web", "org.springframework.stereotype", "org.springframework.test.context",
			"org.springframework.test.web.servlet", "org.springframework.test.web.servlet.assertj",
			"org.springframework.test.web.servlet.client", "org.springframework.web.bind.annotation",
			"org.springframework.web.client", "org.springframework.web.multipart");

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
			.replaceAll("(?m)^\\s*\\.\\.\\.$", LEFT_OUT);
		String imports = body.lines().filter((line) -> line.startsWith("import ")).collect(Collectors.joining());
		body = body.replaceAll("(?m)^import .*$", "");
		String head = "package " + PACKAGE + ";import java.net.http.HttpRequest;" + imports
				+ IMPORTS.stream().map((name) -> "import " + name + ".*;").collect(Collectors.joining())
				+ STATIC_IMPORTS.stream().map((name) -> "import static " + name + ".*;").collect(Collectors.joining());
		String members = head + "class " + type + " extends Given {\n" + body + "\n}";
		String statements = head + "class " + type + " extends Given { void statements() throws Exception {\n" + body
				+ "\n}}";
		Matcher publicType = PUBLIC_TYPE.matcher(body);
		Source source = new Source(publicType.find() ? publicType.group(1) : type, head + "\n" + body);
		if (!parses(source)) {
			source = new Source(type, members);
			if (!parses(source) && parses(new Source(type, statements))) {
				source = new Source(type, statements);
			}
		}
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
		task(source, diagnostics).call();
		return describe(snippet, diagnostics);
	}

	private boolean parses(Source source) {
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
		try {
			task(source, diagnostics).parse();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return diagnostics.getDiagnostics().isEmpty();
	}

	private JavacTask task(Source source, DiagnosticCollector<JavaFileObject> diagnostics) {
		String classPath = this.classes + System.getProperty("path.separator") + System.getProperty("java.class.path");
		return (JavacTask) JAVAC.getTask(
				null, FILES, diagnostics, List.of("--release", "17", "-parameters", "-proc:none",
						"-Xlint:deprecation,removal,unchecked", "-d", this.classes.toString(), "-cp", classPath),
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
