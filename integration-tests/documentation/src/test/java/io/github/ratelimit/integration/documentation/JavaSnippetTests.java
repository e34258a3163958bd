package io.github.ratelimit.integration.documentation;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every Java snippet compiles, as {@link SnippetCompiler} says.
 */
class JavaSnippetTests {

	static final List<Snippet> SNIPPETS = Snippet.in("java");

	@TempDir
	static Path classes;

	@ParameterizedTest
	@FieldSource("SNIPPETS")
	void compiles(Snippet snippet) {
		assertThat(compiler(snippet).compile(snippet)).isEmpty();
	}

	@Test
	void membersMayLeaveOutImportsAndCode() {
		assertThat(compile(
				"@RateLimited(limit = 1, window = \"1s\")\n@GetMapping\nList<Result> search(String... q) { ... }"))
			.isEmpty();
	}

	@Test
	void statementsMayUseWhatIsGiven() {
		assertThat(compile("RateLimitDecision decision = rateLimiters.decide(\"a\", \"b\");")).isEmpty();
	}

	@Test
	void annotationsMayStandAlone() {
		assertThat(compile("@RateLimited(limit = 1, window = \"1s\")")).isEmpty();
		assertThat(compile("@RateLimited(limt = 1)")).startsWith("page.md:10: ");
	}

	@Test
	void snippetAboutTestsImportsAllThatItUses() {
		Snippet snippet = new Snippet(Path.of("docs", "testing.md"), 10, "java", "Duration time = Duration.ZERO;");
		assertThat(compiler(snippet).compile(snippet)).contains("docs/testing.md:10: ", "Duration");
	}

	@Test
	void typeMayShowItsHeadOnly() {
		assertThat(compile("@Configuration\nclass Head {\n")).isEmpty();
	}

	@Test
	void laterSnippetSeesTypesOfEarlierOne() {
		assertThat(
				compile("class One { }") + compile("import java.util.zip.CRC32;\n\nclass Two extends One { CRC32 c; }"))
			.isEmpty();
	}

	@Test
	void errorNamesPageAndLine() {
		assertThat(compile("class Wrong {\n\n    RateLimit imit;\n\n    Missing missing;\n}"))
			.startsWith("page.md:14: ")
			.contains("cannot find symbol", "Missing");
		assertThat(compile("int one = 1;\nint two = three;")).startsWith("page.md:11: ");
		assertThat(compile("void broken( { }\n")).startsWith("page.md:1");
		assertThat(compile("String s = new Thread().getId() + \"\";\nnew Integer(1);")).contains("page.md:11: ",
				"Integer");
	}

	@Test
	void everyPageIsRead() {
		assertThat(Stream.of("README.md", "docs/responses.md", "docs/stores.md").map(Path::of))
			.isSubsetOf(SNIPPETS.stream().map(Snippet::page).toList());
	}

	private static String compile(String text) {
		Snippet snippet = new Snippet(Path.of("page.md"), 10, "java", text);
		return compiler(snippet).compile(snippet);
	}

	private static SnippetCompiler compiler(Snippet snippet) {
		return new SnippetCompiler(SnippetCompiler.newFolder(classes, snippet.page()));
	}

}
