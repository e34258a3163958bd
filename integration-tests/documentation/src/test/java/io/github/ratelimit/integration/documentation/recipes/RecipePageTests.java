package io.github.ratelimit.integration.documentation.recipes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.Snippet;
import io.github.ratelimit.integration.documentation.recipes.budget.BudgetPageTests;
import io.github.ratelimit.integration.documentation.recipes.webflux.WebFluxPageTests;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code that the pages show is the code that their tests run.
 */
class RecipePageTests {

	static final List<Snippet> SNIPPETS = Stream.of(RecipePage.PATH, WebFluxPageTests.PATH, BudgetPageTests.PATH)
		.flatMap((page) -> Snippet.of(page).stream())
		.filter((snippet) -> snippet.language().equals("java"))
		.toList();

	static final List<String> RECIPES = RecipePage.recipes();

	private static final List<String> SOURCES = sources();

	@ParameterizedTest
	@FieldSource("SNIPPETS")
	void codeIsThatOfATest(Snippet snippet) {
		assertThat(SOURCES).as(snippet.toString()).anyMatch((source) -> source.contains(shown(snippet)));
	}

	@ParameterizedTest
	@FieldSource("RECIPES")
	void testRunsRecipe(String heading) {
		assertThat(SOURCES).anyMatch((source) -> source.contains("start(\"" + heading + "\""));
	}

	/*
	 * Three dots stand for a body, members have lost their indentation, and imports are
	 * further up.
	 */
	private static String shown(Snippet snippet) {
		return withoutIndentation(snippet.text().replaceAll("(?m)^import .*\\R+", "").replace("{ ... }", "{"));
	}

	private static String withoutIndentation(String text) {
		return text.replaceAll("(?m)^\\s+", "");
	}

	private static List<String> sources() {
		try (Stream<Path> files = Files.walk(Path.of("src", "test", "java"))) {
			return files.filter((file) -> file.toString().endsWith(".java")).map(RecipePageTests::read).toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String read(Path file) {
		try {
			return withoutIndentation(Files.readString(file));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
